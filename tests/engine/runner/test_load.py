"""Tests of weights given to a candidate: as a checkpoint is loaded, or as training writes them."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.runner.load import load_weights  # noqa: E402


class Hooked(torch.nn.Module):
    """A model that packs its weight when a checkpoint is loaded."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 2)
        self.loaded = 0
        self.register_load_state_dict_post_hook(lambda module, keys: module.count())

    def count(self):
        self.loaded += 1


def other_weights(model):
    return {name: value + 1 for name, value in model.state_dict().items()}


@pytest.mark.parametrize(("in_place", "loaded"), [(False, 1), (True, 0)])
def test_weights_written_in_place_run_no_hook_of_a_loading(in_place, loaded):
    model = Hooked()
    weights = other_weights(model)
    before = model.linear.weight._version
    with torch.no_grad():
        assert load_weights(model, weights, in_place=in_place) == {"fit": True}
    assert torch.equal(model.linear.weight, weights["linear.weight"])
    assert model.loaded == loaded
    assert model.linear.weight._version > before, "a model may tell by the version that a weight has changed"


def test_a_lazy_module_takes_its_shape_from_the_weights():
    own = torch.nn.Linear(3, 2)
    model = torch.nn.LazyLinear(2)
    assert load_weights(model, dict(own.state_dict())) == {"fit": True}
    assert torch.equal(model.weight, own.weight)
