"""Tests of seeds: they have the effect of torch's own, without what that does for absent devices."""

import torch

from eval_app.engine.shared.seeding import set_seed


def test_a_seed_gives_the_numbers_that_torchs_own_gives():
    torch.manual_seed(7)
    expected = torch.randn(5)
    set_seed(7)
    assert torch.equal(torch.randn(5), expected)


def test_seeding_leaves_nothing_behind_for_devices_that_are_not_there():
    before = len(torch.cuda._queued_calls)
    for seed in range(10):
        set_seed(seed)
    assert len(torch.cuda._queued_calls) == before
