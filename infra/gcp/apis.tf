locals {
  apis = toset(concat(
    [
      "artifactregistry.googleapis.com",
      "cloudbuild.googleapis.com",
      "cloudfunctions.googleapis.com",
      "cloudresourcemanager.googleapis.com",
      "cloudscheduler.googleapis.com",
      "cloudtasks.googleapis.com",
      "firestore.googleapis.com",
      "iam.googleapis.com",
      "iamcredentials.googleapis.com",
      "logging.googleapis.com",
      "monitoring.googleapis.com",
      "pubsub.googleapis.com",
      "run.googleapis.com",
      "secretmanager.googleapis.com",
      "storage.googleapis.com",
    ],
    contains(local.ces_projects, var.project) ? ["ces.googleapis.com"] : [],
  ))
}

# They stay on when this is removed: something else in the project may need them by then.
resource "google_project_service" "api" {
  for_each = local.apis

  project            = var.project
  service            = each.value
  disable_on_destroy = false
}
