locals {
  from_functions = "monitored_resource=\"cloud_run_revision\""

  # How PromQL calls the metrics of metrics.tf.
  counted = {
    for name, metric in google_logging_metric.count :
    name => "logging_googleapis_com:user_${metric.name}{${local.from_functions}}"
  }

  # PromQL, because Monitoring's own conditions refuse a metric that was not written yet, and see an
  # absence of 23.5 hours at most: https://cloud.google.com/monitoring/alerts/metric-absence
  log_alerts = merge(
    {
      deliveries_failed = {
        title    = "alerts do not arrive"
        severity = "ERROR"
        query    = "sum(increase(${local.counted.deliveries_failed}[10m])) > 0"
        remedy   = <<-EOT
          A subscriber was not told of a run, or nobody knows whether they were. The line
          `alert not sent` in the logs of ${var.name}-notifier has the delivery and the answer of
          Slack, the mail server or the webhook.
        EOT
      }
      runs_inconclusive = {
        title    = "runs pass their deadline or fail to be judged"
        severity = "WARNING"
        query    = "sum(increase(${local.counted.runs_inconclusive}[10m])) > 0"
        remedy   = <<-EOT
          A run did not finish within the deadline of its plan, could not be started, had errors or
          had no complete results, so its verdict is inconclusive. The dashboard has the reason and
          what CES said last. If CES is only slow, raise the plan's `deadline`.
        EOT
      }
    },
    var.silence_hours == 0 ? {} : {
      silence = {
        title    = "silence: no run was judged for ${var.silence_hours} hours"
        severity = "CRITICAL"
        # Without a series the sum is nothing at all, which is not 0.
        query = format(
          "(sum(increase(%s[%dh])) or vector(0)) == 0",
          local.counted.runs_judged,
          var.silence_hours,
        )
        remedy = <<-EOT
          No plan has had a verdict for so long, so nobody would hear of a regression. Look whether
          the job ${var.name}-tick runs, then at the errors of ${var.name}-scheduler and
          ${var.name}-starter. After a first deployment this ends with the first verdict.
        EOT
      }
    },
  )
}

resource "google_monitoring_alert_policy" "log" {
  for_each = local.log_alerts

  project               = var.project
  display_name          = "${var.name}: ${each.value.title}"
  combiner              = "OR"
  severity              = each.value.severity
  notification_channels = sort(var.notification_channels)

  conditions {
    display_name = each.value.title

    condition_prometheus_query_language {
      query                     = each.value.query
      duration                  = "0s"
      evaluation_interval       = "60s"
      disable_metric_validation = true
    }
  }

  documentation {
    content   = each.value.remedy
    mime_type = "text/markdown"
  }
}

resource "google_monitoring_alert_policy" "dead_letters" {
  project               = var.project
  display_name          = "${var.name}: dead letters"
  combiner              = "OR"
  severity              = "ERROR"
  notification_channels = sort(var.notification_channels)

  conditions {
    display_name = "messages in ${google_pubsub_subscription.dead_letters.name}"

    condition_threshold {
      filter = join(" AND ", [
        "resource.type = \"pubsub_subscription\"",
        "resource.labels.subscription_id = \"${google_pubsub_subscription.dead_letters.name}\"",
        "metric.type = \"pubsub.googleapis.com/subscription/num_undelivered_messages\"",
      ])
      comparison      = "COMPARISON_GT"
      threshold_value = 0
      duration        = "0s"

      aggregations {
        alignment_period   = "60s"
        per_series_aligner = "ALIGN_MAX"
      }
    }
  }

  documentation {
    mime_type = "text/markdown"
    content   = <<-EOT
      A message could not be used, or a function failed with it again and again. See them with
      `gcloud pubsub subscriptions pull ${google_pubsub_subscription.dead_letters.name} --limit 20`:
      the attribute `reason` or `CloudPubSubDeadLetterSourceSubscription` says where it went wrong.
      All state is in the store, so no run depends on the message: once the cause is repaired, pull
      with `--auto-ack`.
    EOT
  }
}

# A pipeline that stands still before anything is dead-lettered.
resource "google_monitoring_alert_policy" "backlog" {
  project               = var.project
  display_name          = "${var.name}: messages wait"
  combiner              = "OR"
  severity              = "ERROR"
  notification_channels = sort(var.notification_channels)

  conditions {
    display_name = "a message waits for more than 15 minutes"

    condition_threshold {
      filter = join(" AND ", [
        "resource.type = \"pubsub_subscription\"",
        format(
          "resource.labels.subscription_id = one_of(%s)",
          join(", ", [for name in keys(local.subscribed) : "\"${var.name}-${name}\""]),
        ),
        "metric.type = \"pubsub.googleapis.com/subscription/oldest_unacked_message_age\"",
      ])
      comparison      = "COMPARISON_GT"
      threshold_value = 900
      duration        = "60s"

      aggregations {
        alignment_period   = "60s"
        per_series_aligner = "ALIGN_MAX"
      }
    }
  }

  documentation {
    mime_type = "text/markdown"
    content   = <<-EOT
      A function fails with its messages or is too slow for them. Error Reporting has the errors of
      the functions; `message not handled, it comes again` in the logs names the run or delivery.
    EOT
  }
}
