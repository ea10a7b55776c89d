"""The order of the files. What looks through all objects of its process comes first, while these are few: a look then takes milliseconds, and seconds once
other files have imported vLLM and transformers."""

LOOK_THROUGH_THE_PROCESS = ("test_watch.py", "test_roots.py")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.path.name not in LOOK_THROUGH_THE_PROCESS)
