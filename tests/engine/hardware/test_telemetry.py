"""Tests of device state during a timing: the summary of the readings, and the pairs timed at a low clock."""

import time

from eval_app.engine.hardware import device
from eval_app.engine.hardware.telemetry import Sample, Sampler, low_clock, summary


def at(*clocks):
    return [Sample(float(second), {"sm_mhz": clock, "throttle": []}) for second, clock in enumerate(clocks)]


def test_several_numbers_become_least_middle_and_most():
    assert summary(at(1000, 1200, 1900), 0, 2)["sm_mhz"] == {"min": 1000.0, "median": 1200.0, "max": 1900.0}


def test_a_number_that_never_changed_stays_a_number():
    assert summary(at(1980, 1980), 0, 1)["sm_mhz"] == 1980


def test_reasons_to_throttle_are_those_of_all_samples():
    samples = [
        Sample(0, {"throttle": ["power_cap"]}),
        Sample(1, {"throttle": []}),
        Sample(2, {"throttle": ["thermal"]}),
    ]
    assert summary(samples, 0, 2)["throttle"] == ["power_cap", "thermal"]


def test_only_samples_between_the_first_and_the_last_pair_count():
    assert summary(at(300, 1980, 1980, 300), 1, 2)["sm_mhz"] == 1980
    assert summary([], 0, 1) == {}


def test_a_pair_at_under_three_quarters_of_the_median_clock_is_low():
    samples = at(1980, 1980, 1400, 1980, 1490)
    assert low_clock(samples, [0.1, 2.2, 3.9]) == [False, True, False]


def test_without_clocks_no_pair_is_low():
    assert low_clock([Sample(0, {"load_1m": 3.0})], [0.0, 1.0]) == [False, False]


def test_the_sampler_asks_from_the_timing_stage_on_and_passes_stages_along():
    heard = []
    with Sampler(lambda: {"sm_mhz": 1}, 0.001, lambda stage, message: heard.append(stage)) as sampler:
        sampler.on_stage("correctness", "")
        time.sleep(0.02)
        assert not sampler.samples
        sampler.on_stage("timing", "")
        time.sleep(0.05)
    assert len(sampler.samples) > 1
    assert heard == ["correctness", "timing"]


def test_a_device_that_cannot_be_asked_ends_the_sampling_and_nothing_else():
    def read():
        raise OSError

    with Sampler(read, 0.001) as sampler:
        sampler.start()
    assert sampler.samples == []


def test_nvml_bits_are_told_in_words():
    assert device.throttle_words(0) == []
    assert device.throttle_words(0x4 | 0x20) == ["power_cap", "thermal"]
    assert device.throttle_words(0x1 | 0x1000) == ["idle", "0x1000"]


def test_a_cpu_tells_its_load():
    assert set(device.choose("cpu").state()) == {"load_1m", "cores"}
