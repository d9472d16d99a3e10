resource "google_firestore_database" "store" {
  project                           = var.project
  name                              = var.name
  location_id                       = coalesce(var.database_location, var.region)
  type                              = "FIRESTORE_NATIVE"
  point_in_time_recovery_enablement = "POINT_IN_TIME_RECOVERY_ENABLED"
  delete_protection_state = (
    var.delete_protection ? "DELETE_PROTECTION_ENABLED" : "DELETE_PROTECTION_DISABLED"
  )
  deletion_policy = var.delete_protection ? "ABANDON" : "DELETE"

  depends_on = [google_project_service.api]
}

# The roles of Firestore are roles of the project; the condition keeps them to this database.
resource "google_project_iam_member" "database" {
  for_each = local.functions

  project = var.project
  role    = each.value.database
  member  = "serviceAccount:${local.function_accounts[each.key]}"

  condition {
    title      = "${var.name}: its own database"
    expression = "resource.name == \"projects/${var.project}/databases/${var.name}\""
  }
}
