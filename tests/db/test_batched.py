from datasets_app.db.batched import batched


def test_items_come_in_lists_of_at_most_the_size():
    assert list(batched(range(5), 2)) == [[0, 1], [2, 3], [4]]
    assert list(batched([], 2)) == []
