"""Honeypots are stored from a folder of known kernels, without what would give them away."""

import pytest
from django.core.exceptions import PermissionDenied
from django.core.management import CommandError, call_command

from datasets_app.accounts.actor import COMMAND
from datasets_app.management.commands.honeypots import OWN_KERNELS
from datasets_app.models import AuditEntry, Honeypot, HoneypotAnswer, Sample
from datasets_app.review.honeypots import CorpusError, load_honeypots
from datasets_app.review.honeypots.corpus import read_corpus
from tests.curate.store import PASSED, frozen, passed
from tests.factories import PROGRAM, acting, make_sample, make_task, make_user
from tests.verifications import timed

CHEAT = '''"""Class B.2.28. A child process writes the sum
after the call has returned."""

TASK = "sums"
DEVICE = "cpu"
EXPECT = {
    "outcome": ["cheated"], "findings": [],
}

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x.later()
'''
SOUND = CHEAT.replace("Class B.2.28. A child process", "A loop").replace("later", "sum")


@pytest.fixture
def folder(tmp_path):
    for name, text in {
        "cheats/later.py": CHEAT,
        "honest/sums.py": SOUND,
        "honest/__init__.py": "",
        "tasks/sums.py": PROGRAM.format(number=1),
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_kernel_is_read_without_its_docstring_and_constants(folder):
    cheat, sound = read_corpus(folder)
    assert cheat.kernel.startswith("import torch\n")
    assert "EXPECT" not in cheat.kernel
    assert "B.2.28" not in cheat.kernel
    assert (cheat.answer, cheat.family) == (HoneypotAnswer.CHEAT, "work outside the timed window")
    assert cheat.explanation == "A child process writes the sum after the call has returned."
    assert (sound.answer, sound.family) == (HoneypotAnswer.SOUND, "sound kernels")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("cheats/bad.py", "def (", "bad.py"),
        ("cheats/bad.py", "x = 1", "no constant TASK"),
        ("cheats/bad.py", 'TASK = "../../secret"', "no constant TASK"),
        ("cheats/bad.py", 'TASK = "absent"', "absent.py"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(folder, name, text, said):
    (folder / name).write_text(text)
    with pytest.raises(CorpusError, match=said):
        read_corpus(folder)


def test_a_folder_without_kernels_is_refused(tmp_path):
    with pytest.raises(CorpusError, match="no kernels in cheats or honest"):
        read_corpus(tmp_path)


def test_the_engines_own_kernels_can_be_read():
    kernels = read_corpus(OWN_KERNELS)
    assert len(kernels) > 200
    assert not any("EXPECT" in kernel.kernel for kernel in kernels)
    assert len({kernel.family for kernel in kernels}) == 6


@pytest.mark.django_db
class TestLoading:
    def test_kernels_become_samples_of_the_source_and_are_marked(self, folder):
        loaded = load_honeypots(COMMAND, folder, "Set 7")
        assert (loaded.stored, loaded.present, loaded.left_out) == (2, 0, 0)
        assert set(Sample.objects.values_list("source__name", "honeypot__answer")) == {
            ("Set 7", "cheat"),
            ("Set 7", "sound"),
        }
        assert AuditEntry.objects.filter(action="honeypots.load").count() == 1

    def test_a_second_time_nothing_is_stored(self, folder):
        load_honeypots(COMMAND, folder, "Set 7")
        again = load_honeypots(COMMAND, folder, "Set 7")
        assert (again.stored, again.present, again.left_out) == (0, 2, 0)

    def test_an_ordinary_sample_of_the_site_is_never_made_a_honeypot(self, folder):
        cheat, _ = read_corpus(folder)
        make_sample(make_task(cheat.program), reasoning="", kernel=cheat.kernel)
        loaded = load_honeypots(COMMAND, folder, "Set 7")
        assert (loaded.stored, loaded.left_out) == (1, 1)
        assert Honeypot.objects.get().answer == HoneypotAnswer.SOUND

    def test_annotators_may_not_load_them(self, folder):
        with pytest.raises(PermissionDenied):
            load_honeypots(acting(make_user("annotator")), folder, "Set 7")
        assert not Sample.objects.exists()

    def test_the_command_says_what_became_of_them(self, folder, capsys):
        call_command("honeypots", str(folder), "--source", "Set 7")
        assert capsys.readouterr().out.startswith("2 honeypots stored, 0 were there, 0 left out")
        with pytest.raises(CommandError, match="no kernels"):
            call_command("honeypots", str(folder / "tasks"), "--source", "Set 7")

    def test_a_honeypot_is_never_in_a_release(self, folder):
        load_honeypots(COMMAND, folder, "Set 7")
        for sample in Sample.objects.all():
            timed(sample, 9.0)
        ordinary = passed()
        release = frozen(definition=PASSED)
        assert [row.sample_id for row in release.rows.all()] == [ordinary.pk]
        assert release.funnel[0]["rows_in"] == 1
