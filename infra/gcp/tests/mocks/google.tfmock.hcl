# In place of Google: what a plan cannot know, but the tests look at.

mock_data "google_project" {
  defaults = {
    number = "123456789012"
  }
}

override_resource {
  target          = google_cloudfunctions2_function.function["scheduler"]
  override_during = plan
  values = {
    service_config = { uri = "https://scheduler.example" }
  }
}

override_resource {
  target          = google_cloudfunctions2_function.function["webhook"]
  override_during = plan
  values = {
    service_config = { uri = "https://webhook.example" }
  }
}

override_resource {
  target          = google_cloudfunctions2_function.function["starter"]
  override_during = plan
  values = {
    service_config = { uri = "https://starter.example" }
  }
}

override_resource {
  target          = google_cloudfunctions2_function.function["poller"]
  override_during = plan
  values = {
    service_config = { uri = "https://poller.example" }
  }
}

override_resource {
  target          = google_cloudfunctions2_function.function["sink"]
  override_during = plan
  values = {
    service_config = { uri = "https://sink.example" }
  }
}

override_resource {
  target          = google_cloudfunctions2_function.function["notifier"]
  override_during = plan
  values = {
    service_config = { uri = "https://notifier.example" }
  }
}

override_resource {
  target          = google_cloudfunctions2_function.function["dashboard"]
  override_during = plan
  values = {
    service_config = { uri = "https://dashboard.example" }
  }
}
