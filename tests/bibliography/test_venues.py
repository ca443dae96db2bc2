"""Names of journals and conferences: the same one under several, and two that look alike."""

import pytest

from workbench.bibliography.venues import same_venue

SAME = [
    ("NeurIPS", "Advances in Neural Information Processing Systems 34"),
    ("Adv. Neural Inf. Process. Syst.", "NeurIPS"),
    ("Proc. Int. Conf. Mach. Learn.", "ICML"),
    ("Mach. Learn.", "Machine Learning"),
    ("J. Mach. Learn. Res.", "JMLR"),
    ("CVPR", "2022 IEEE/CVF Conference on Computer Vision and Pattern Recognition (CVPR)"),
    ("KDD", "Proceedings of the 22nd ACM SIGKDD International Conference on Knowledge Discovery and "
     "Data Mining"),
    ("ACL", "Proceedings of the 58th Annual Meeting of the Association for Computational "
     "Linguistics"),
    ("Nat. Commun.", "Nature Communications"),
    ("PNAS", "Proceedings of the National Academy of Sciences of the United States of America"),
    ("N. Engl. J. Med.", "The New England Journal of Medicine"),
    ("Am J Public Health", "American Journal of Public Health"),
    ("ICLR 2021", "ICLR"),
    ("CoRR", "arXiv preprint arXiv:2101.00001"),
    ("计算机学报", "计算机学报"),
    ("ZDeichR 12", "Zeitschrift für Deichrecht"),
    ("Proc Mar Sci", "Proceedings of the Lorve Society C: Marine Sciences"),
    ("Environ. Plan. W Rural Anal.", "Environment and Planning W: Rural Analytics"),
]  # fmt: skip
OTHER = [
    ("Machine Learning", "ICML"),
    ("Nature", "Nature Communications"),
    ("The Lancet", "The Lancet Oncology"),
    ("BMJ", "BMJ Open"),
    ("JAMA", "JAMA Internal Medicine"),
    ("AAAI", "IJCAI"),
    ("ACL", "Findings of the Association for Computational Linguistics: ACL 2023"),
    ("Journal of Finance", "The Journal of Financial Economics"),
    ("Symposium on Tidal Computing", "ICML"),
    ("计算机学报", "软件学报"),
    ("ZDeichR", "Zeitschrift für Steuerrecht"),
    ("Proc Mar Sci", "Proceedings of the Lorve Society A: Physical Sciences"),
    ("BioMed", "Biology"),
    ("CVPR", "Computer Vision Proceedings"),
]
OPEN = [
    ("ICLR", "arXiv preprint arXiv:2101.00001"),
    ("ECCV", "Lecture Notes in Computer Science"),
]


@pytest.mark.parametrize(("venue", "other"), SAME)
def test_two_names_of_one_venue(venue, other):
    assert same_venue(venue, other) is True
    assert same_venue(other, venue) is True


@pytest.mark.parametrize(("venue", "other"), OTHER)
def test_two_venues(venue, other):
    assert same_venue(venue, other) is False
    assert same_venue(other, venue) is False


@pytest.mark.parametrize(("venue", "other"), OPEN)
def test_a_series_or_a_preprint_server_does_not_tell(venue, other):
    assert same_venue(venue, other) is None
