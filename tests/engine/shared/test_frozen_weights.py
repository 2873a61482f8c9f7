"""Tests of weights that need no gradient for a while."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.shared.frozen_weights import frozen_weights  # noqa: E402


def fail_with_frozen(model):
    with frozen_weights(model):
        raise ValueError([weight.requires_grad for weight in model.parameters()])


def test_weights_that_were_trained_are_trained_again_after_an_error_too():
    model = torch.nn.Linear(2, 2)
    model.bias.requires_grad_(False)
    with pytest.raises(ValueError, match="False, False"):
        fail_with_frozen(model)
    assert [weight.requires_grad for weight in model.parameters()] == [True, False]


def test_what_is_no_module_has_no_weights():
    with frozen_weights(torch.sin):
        pass
