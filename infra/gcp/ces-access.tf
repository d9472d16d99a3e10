locals {
  ces_projects = length(var.ces_projects) == 0 ? toset([var.project]) : var.ces_projects

  # For the calls that each function makes.
  ces_permissions = {
    starter = [
      "ces.apps.runEvaluation",
      "ces.evaluationRuns.list",
    ]
    poller = [
      "ces.evaluationRuns.get",
      "ces.evaluationRuns.list",
      "ces.operations.get",
    ]
    sink = [
      "ces.evaluationResults.get",
      "ces.evaluationResults.list",
    ]
  }

  own_ces_roles = merge([
    for project in local.ces_projects : {
      for name in keys(local.ces_permissions) : "${project} ${name}" => {
        project  = project
        function = name
      } if !contains(keys(var.ces_roles), name)
    }
  ]...)

  own_ces_role_names = {
    for key, role in google_project_iam_custom_role.ces :
    key => "projects/${role.project}/roles/${role.role_id}"
  }

  # Every call needs the right to call a tool, the right to do what the tool does, and the right to
  # use the quota of the app's project.
  ces_grants = merge([
    for name, function in local.functions : merge([
      for project in local.ces_projects : {
        for right, role in {
          tools = "roles/mcp.toolUser"
          quota = "roles/serviceusage.serviceUsageConsumer"
          runs = (
            contains(keys(var.ces_roles), name)
            ? var.ces_roles[name]
            : local.own_ces_role_names["${project} ${name}"]
          )
        } : "${name} ${project} ${right}" => { function = name, project = project, role = role }
      }
    ]...) if function.ces
  ]...)

  basic_roles = ["roles/editor", "roles/owner", "roles/viewer"]
}

# CES's own roles for this also let read every conversation with a customer, or change the agents.
resource "google_project_iam_custom_role" "ces" {
  for_each = local.own_ces_roles

  project     = each.value.project
  role_id     = "${replace(var.name, "-", "_")}_${each.value.function}"
  title       = "${var.name}: what the ${each.value.function} does at CES"
  permissions = local.ces_permissions[each.value.function]

  depends_on = [google_project_service.api]
}

resource "google_project_iam_member" "ces" {
  for_each = local.ces_grants

  project = each.value.project
  role    = each.value.role
  member  = "serviceAccount:${local.function_accounts[each.value.function]}"
}
