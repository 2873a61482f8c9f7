from tests.factories import make_sample


def test_the_home_page_needs_a_login(client, db):
    assert client.get("/").headers["Location"].startswith("/accounts/login/")


def test_each_stage_is_a_station_with_its_count_and_next_step(reader):
    make_sample()
    page = reader.get("/").content.decode()
    for title in ("Ingest", "Browse", "Review", "Verify", "Curate", "Releases"):
        assert f">{title}</a></h2>" in page
    assert "<strong>1</strong> sample<" in page


def test_an_empty_site_says_what_to_do_first(reader):
    assert "manage.py verify --all" in reader.get("/").content.decode()


def test_the_home_page_costs_the_same_number_of_queries_whatever_there_is(
    reader, django_assert_max_num_queries
):
    for _ in range(5):
        make_sample()
    with django_assert_max_num_queries(12):
        reader.get("/")


def test_stats_are_the_counts_of_the_home_page(reader):
    make_sample()
    stats = reader.get("/api/v1/stats/").json()
    assert (stats["samples"], stats["tasks"], stats["verified"]) == (1, 1, 0)
