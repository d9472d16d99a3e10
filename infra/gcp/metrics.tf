locals {
  # Lines of the functions' structured logs: the message is a constant, the others are fields.
  log_metrics = {
    deliveries_failed = {
      function = "notifier"
      message  = "alert not sent"
      fields   = { state = ["undeliverable", "unknown"] }
    }
    runs_inconclusive = {
      function = "sink"
      message  = "run judged"
      fields   = { outcome = ["inconclusive"] }
    }
    runs_judged = {
      function = "sink"
      message  = "run judged"
      fields   = {}
    }
  }
}

resource "google_logging_metric" "count" {
  for_each = local.log_metrics

  project = var.project
  name    = "${replace(var.name, "-", "_")}_${each.key}"
  filter = join(" AND ", concat(
    [
      "resource.type=\"cloud_run_revision\"",
      "resource.labels.service_name=\"${var.name}-${each.value.function}\"",
      "jsonPayload.message=\"${each.value.message}\"",
    ],
    [
      for field, values in each.value.fields :
      "jsonPayload.${field}=(${join(" OR ", [for value in values : "\"${value}\""])})"
    ],
  ))

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "INT64"
  }

  depends_on = [google_project_service.api]
}
