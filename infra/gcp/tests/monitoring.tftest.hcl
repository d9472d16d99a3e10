mock_provider "google" {
  source = "./tests/mocks"
}

variables {
  project               = "acme-evals"
  source_dir            = "tests/sources"
  notification_channels = ["projects/acme-evals/notificationChannels/1234567890"]
}

run "operators_are_told" {
  command = plan

  assert {
    condition = toset([
      for policy in concat(
        values(google_monitoring_alert_policy.log),
        [google_monitoring_alert_policy.backlog, google_monitoring_alert_policy.dead_letters],
      ) : policy.display_name
      ]) == toset([
      "ces-evals: alerts do not arrive",
      "ces-evals: dead letters",
      "ces-evals: messages wait",
      "ces-evals: runs pass their deadline or fail to be judged",
      "ces-evals: silence: no run was judged for 48 hours",
    ])
    error_message = "Operators hear of everything that nobody else would notice."
  }

  assert {
    condition = alltrue([
      for policy in concat(
        values(google_monitoring_alert_policy.log),
        [google_monitoring_alert_policy.backlog, google_monitoring_alert_policy.dead_letters],
      ) :
      policy.notification_channels
      == tolist(["projects/acme-evals/notificationChannels/1234567890"])
      && length(policy.documentation[0].content) > 0
    ])
    error_message = "Every policy reaches the channels and says what to do."
  }
}

run "what_is_counted" {
  command = plan

  assert {
    condition = {
      for key, metric in google_logging_metric.count : key => metric.filter
      } == {
      deliveries_failed = join(" AND ", [
        "resource.type=\"cloud_run_revision\"",
        "resource.labels.service_name=\"ces-evals-notifier\"",
        "jsonPayload.message=\"alert not sent\"",
        "jsonPayload.state=(\"undeliverable\" OR \"unknown\")",
      ])
      runs_inconclusive = join(" AND ", [
        "resource.type=\"cloud_run_revision\"",
        "resource.labels.service_name=\"ces-evals-sink\"",
        "jsonPayload.message=\"run judged\"",
        "jsonPayload.outcome=(\"inconclusive\")",
      ])
      runs_judged = join(" AND ", [
        "resource.type=\"cloud_run_revision\"",
        "resource.labels.service_name=\"ces-evals-sink\"",
        "jsonPayload.message=\"run judged\"",
      ])
    }
    error_message = "The metrics count lines that the functions write."
  }

  assert {
    condition = {
      for key, policy in google_monitoring_alert_policy.log :
      key => policy.conditions[0].condition_prometheus_query_language[0].query
      } == {
      deliveries_failed = format(
        "sum(increase(%s{monitored_resource=\"cloud_run_revision\"}[10m])) > 0",
        "logging_googleapis_com:user_ces_evals_deliveries_failed",
      )
      runs_inconclusive = format(
        "sum(increase(%s{monitored_resource=\"cloud_run_revision\"}[10m])) > 0",
        "logging_googleapis_com:user_ces_evals_runs_inconclusive",
      )
      silence = format(
        "(sum(increase(%s{monitored_resource=\"cloud_run_revision\"}[48h])) or vector(0)) == 0",
        "logging_googleapis_com:user_ces_evals_runs_judged",
      )
    }
    error_message = "The policies ask for the metrics that are counted."
  }
}

run "silence_follows_the_schedule" {
  command = plan

  variables {
    silence_hours = 2
  }

  assert {
    condition = (
      google_monitoring_alert_policy.log["silence"].display_name
      == "ces-evals: silence: no run was judged for 2 hours"
    )
    error_message = "Silence is twice the schedule's period, which only the operator knows."
  }
}

run "without_schedules_silence_is_fine" {
  command = plan

  variables {
    silence_hours = 0
  }

  assert {
    condition = keys(google_monitoring_alert_policy.log) == [
      "deliveries_failed",
      "runs_inconclusive",
    ]
    error_message = "0 hours mean no policy."
  }
}
