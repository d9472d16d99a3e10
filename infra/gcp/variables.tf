variable "ces_mcp_url" {
  description = "MCP endpoint of CES."
  type        = string
  default     = "https://ces.googleapis.com/mcp"

  validation {
    condition     = startswith(var.ces_mcp_url, "https://")
    error_message = "Begin ces_mcp_url with https://, as in https://ces.googleapis.com/mcp."
  }
}

variable "ces_projects" {
  description = "Projects that hold the apps of evals.yaml. Empty = the project of this deployment."
  type        = set(string)
  default     = []

  validation {
    condition     = alltrue([for id in var.ces_projects : can(regex("^[a-z][a-z0-9-]+$", id))])
    error_message = "Give ces_projects ids of projects such as acme-cx, without projects/."
  }
}

variable "ces_roles" {
  description = <<-EOT
    Roles at CES, by function (poller, sink, starter), in place of those that are made here with the
    least permissions: for organizations without custom roles.
  EOT
  type        = map(string)
  default     = {}

  validation {
    condition     = length(setsubtract(keys(var.ces_roles), keys(local.ces_permissions))) == 0
    error_message = "Give ces_roles the keys ${join(", ", keys(local.ces_permissions))} only."
  }

  validation {
    condition     = length(setintersection(values(var.ces_roles), local.basic_roles)) == 0
    error_message = "Give ces_roles roles of CES, such as roles/ces.viewer and roles/ces.editor."
  }
}

variable "dashboard_viewers" {
  description = "Who may open the dashboard and the API: members such as group:cx@acme.example."
  type        = set(string)
  default     = []

  validation {
    condition = alltrue([
      for member in var.dashboard_viewers :
      can(regex("^(user|group|domain|serviceAccount):.+", member))
    ])
    error_message = "Write dashboard_viewers as user:…, group:…, domain:… or serviceAccount:…."
  }
}

variable "database_location" {
  description = "Location of the Firestore database; it can never be changed. Null = the region."
  type        = string
  default     = null
}

variable "delete_protection" {
  description = "False lets terraform destroy delete the database and what is in the buckets."
  type        = bool
  default     = true
}

variable "environment" {
  description = "Settings that are no secrets, by the name of their environment variable."
  type        = map(string)
  default     = {}

  validation {
    condition = alltrue([
      for name in keys(var.environment) : contains(local.settable_environment, name)
    ])
    error_message = "environment takes ${join(", ", local.settable_environment)} only."
  }

  validation {
    condition     = alltrue([for value in values(var.environment) : trimspace(value) != ""])
    error_message = "Leave out of environment what has no value: it would be refused."
  }

  validation {
    condition = contains(
      local.log_levels,
      lookup(var.environment, "LOG_LEVEL", "info"),
    )
    error_message = "Set LOG_LEVEL to debug or info: monitoring counts lines of the level info."
  }
}

variable "name" {
  description = "What the names of all resources begin with; another one makes a second deployment."
  type        = string
  default     = "ces-evals"

  validation {
    # NAME-push-notifier is the longest id of a service account, and 30 characters are the limit.
    condition     = can(regex("^[a-z][a-z0-9-]{2,14}[a-z0-9]$", var.name))
    error_message = "Make name of 4 to 16 lower-case letters, digits and dashes, a letter first."
  }
}

variable "notification_channels" {
  description = "Ids of the Monitoring channels that tell operators. Empty = nobody is told."
  type        = set(string)
  default     = []

  validation {
    condition = alltrue([
      for id in var.notification_channels :
      can(regex("^projects/[^/]+/notificationChannels/[^/]+$", id))
    ])
    error_message = "Write notification_channels as projects/PROJECT/notificationChannels/ID."
  }
}

variable "project" {
  description = "Id of the project to deploy to."
  type        = string

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]+[a-z0-9]$", var.project))
    error_message = "Give project the id of a project such as acme-evals, not its number or title."
  }
}

variable "region" {
  description = "Region of the functions, the queue, the schedule and the buckets."
  type        = string
  default     = "us-central1"

  validation {
    condition     = can(regex("^[a-z]+-[a-z]+[0-9]+$", var.region))
    error_message = "Give region a region such as europe-west1, not a zone or a multi-region."
  }
}

variable "secrets" {
  description = <<-EOT
    Ids of secrets in Secret Manager, by the name of the environment variable that takes their
    newest version: API_TOKEN, GITHUB_WEBHOOK_SECRET, SLACK_BOT_TOKEN, SMTP_URL, WEBHOOK_SECRET and
    each secretEnv of evals.yaml. The values never pass through terraform.
  EOT
  type        = map(string)
  default     = {}

  validation {
    condition = alltrue([
      for name in keys(var.secrets) :
      can(regex("^[A-Z][A-Z0-9_]*$", name)) && !contains(local.reserved_environment, name)
    ])
    error_message = "Make the keys of secrets names like SMTP_URL, and none that is set elsewhere."
  }

  validation {
    condition = alltrue([
      for id in values(var.secrets) :
      can(regex("^[A-Za-z0-9_-]{1,255}$", id)) && !can(regex("^(xox[a-z]-|whsec_)", id))
    ])
    error_message = "Give secrets ids of secrets in Secret Manager, never the secrets themselves."
  }

  validation {
    condition = (
      !contains(keys(var.secrets), "SMTP_URL") || contains(keys(var.environment), "EMAIL_FROM")
    )
    error_message = "E-mails need a sender: with the secret SMTP_URL set EMAIL_FROM in environment."
  }
}

variable "silence_hours" {
  description = <<-EOT
    Operators are told when no run was judged for so long: twice the time between two slots of the
    most frequent schedule. 0 = never, for deployments without schedules.
  EOT
  type        = number
  default     = 48

  validation {
    condition     = var.silence_hours == floor(var.silence_hours) && var.silence_hours >= 0
    error_message = "Give silence_hours a whole number of hours, or 0 for no such alert."
  }
}

variable "source_dir" {
  description = "Folder with one archive per function, as npm run build leaves it."
  type        = string
  default     = "../../dist"
}
