mock_provider "google" {
  source = "./tests/mocks"
}

variables {
  project    = "acme-evals"
  source_dir = "tests/sources"
}

run "only_the_project_is_asked_for" {
  command = plan

  assert {
    condition     = output.configuration == "gs://acme-evals-ces-evals-configuration/evals.yaml"
    error_message = "The defaults are enough for a deployment."
  }
}

run "the_title_of_a_project_is_refused" {
  command         = plan
  expect_failures = [var.project]

  variables {
    project = "Acme Evals"
  }
}

run "a_long_name_is_refused" {
  command         = plan
  expect_failures = [var.name]

  variables {
    name = "evaluations-of-support"
  }
}

run "a_zone_is_refused" {
  command         = plan
  expect_failures = [var.region]

  variables {
    region = "europe-west1-b"
  }
}

run "ces_without_tls_is_refused" {
  command         = plan
  expect_failures = [var.ces_mcp_url]

  variables {
    ces_mcp_url = "http://ces.example/mcp"
  }
}

run "the_path_of_a_project_is_refused" {
  command         = plan
  expect_failures = [var.ces_projects]

  variables {
    ces_projects = ["projects/acme-cx"]
  }
}

run "a_basic_role_at_ces_is_refused" {
  command         = plan
  expect_failures = [var.ces_roles]

  variables {
    ces_roles = { starter = "roles/editor" }
  }
}

run "a_role_at_ces_for_a_function_that_does_not_call_it_is_refused" {
  command         = plan
  expect_failures = [var.ces_roles]

  variables {
    ces_roles = { notifier = "roles/ces.viewer" }
  }
}

run "a_public_dashboard_is_refused" {
  command         = plan
  expect_failures = [var.dashboard_viewers]

  variables {
    dashboard_viewers = ["allAuthenticatedUsers"]
  }
}

run "a_secret_among_the_settings_is_refused" {
  command         = plan
  expect_failures = [var.environment]

  variables {
    environment = { SLACK_BOT_TOKEN = "slack-bot-token" }
  }
}

run "a_setting_without_a_value_is_refused" {
  command         = plan
  expect_failures = [var.environment]

  variables {
    environment = { POLL_MIN = "" }
  }
}

run "a_log_level_that_blinds_the_monitoring_is_refused" {
  command         = plan
  expect_failures = [var.environment]

  variables {
    environment = { LOG_LEVEL = "error" }
  }
}

run "a_token_in_place_of_a_secret_id_is_refused" {
  command         = plan
  expect_failures = [var.secrets]

  variables {
    secrets = { SLACK_BOT_TOKEN = "xoxb-0000-not-a-token" }
  }
}

run "a_secret_that_hides_a_setting_is_refused" {
  command         = plan
  expect_failures = [var.secrets]

  variables {
    secrets = { TOPIC_PREFIX = "topic-prefix" }
  }
}

run "mail_without_a_sender_is_refused" {
  command         = plan
  expect_failures = [var.secrets]

  variables {
    secrets = { SMTP_URL = "smtp-url" }
  }
}

run "a_channel_by_its_address_is_refused" {
  command         = plan
  expect_failures = [var.notification_channels]

  variables {
    notification_channels = ["oncall@acme.example"]
  }
}

run "a_part_of_an_hour_is_refused" {
  command         = plan
  expect_failures = [var.silence_hours]

  variables {
    silence_hours = 1.5
  }
}
