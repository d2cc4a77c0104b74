variable "name" {
  description = "Name of the function, its role, its log group and the API."
  type        = string
  default     = "form-relay"

  validation {
    condition     = can(regex("^[A-Za-z0-9_-]{1,64}$", var.name))
    error_message = "Use 1 to 64 letters, digits, hyphens and underscores."
  }
}

variable "package" {
  description = "Zip file of the folder dist/lambda."
  type        = string
  default     = "lambda.zip"
}

variable "config_bucket" {
  description = "S3 bucket that holds the config. The bucket must exist; the function only reads it."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^(|[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])$", var.config_bucket))
    error_message = "This is not a valid bucket name."
  }
}

variable "config_bucket_region" {
  description = "Region of the bucket, if it is not that of the function."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^(|[a-z]{2,4}(-[a-z]+)+-[0-9]+)$", var.config_bucket_region))
    error_message = "Use a region, such as eu-central-1."
  }
}

variable "config_key" {
  description = "The config's key in the bucket."
  type        = string
  default     = "webform.yaml"

  validation {
    condition     = var.config_key != ""
    error_message = "Name a key, such as webform.yaml."
  }
}

variable "raw_config" {
  description = "The config itself, for local use only. Overrides the bucket. All variables of a function share 4 KB."
  type        = string
  default     = ""
}

variable "cache_ttl" {
  description = "Time until a loaded config is fetched again, such as 30s or 5m."
  type        = string
  default     = ""
}

variable "mail_from_address" {
  description = "Sender of all email outputs, verified in SES in this region. Without it the function may not send mail."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^(|[^@\\s<>,]+@[^@\\s<>,]+)$", var.mail_from_address))
    error_message = "Use a bare address, such as forms@example.com."
  }
}

variable "form_token_secret" {
  description = "Signs min-fill tokens. Required for forms with spam.min_fill_seconds."
  type        = string
  default     = ""
  sensitive   = true

  validation {
    condition     = can(regex("^(|.{32,})$", var.form_token_secret)) && !startswith(var.form_token_secret, "arn:")
    error_message = "Use at least 32 characters, such as those that `openssl rand -hex 32` prints; not an ARN."
  }
}

variable "keep_queue" {
  description = "Creates a queue for forms with keep, and the function that delivers from it. The output keep_in is the value for the config."
  type        = bool
  default     = false
}

variable "keep_secret" {
  description = "Encrypts queued deliveries, which are lost without this secret."
  type        = string
  default     = ""
  sensitive   = true

  validation {
    condition     = can(regex("^(|.{32,})$", var.keep_secret)) && !startswith(var.keep_secret, "arn:")
    error_message = "Use at least 32 characters, such as those that `openssl rand -hex 32` prints; not an ARN."
  }
}

variable "receipt_secret" {
  description = "Signs receipts. Required for forms with receipt."
  type        = string
  default     = ""
  sensitive   = true

  validation {
    condition     = can(regex("^(|.{32,})$", var.receipt_secret)) && !startswith(var.receipt_secret, "arn:")
    error_message = "Use at least 32 characters, such as those that `openssl rand -hex 32` prints; not an ARN."
  }
}

variable "kms_key_arns" {
  description = "ARNs of your own KMS keys that encrypt the buckets."
  type        = list(string)
  default     = []
}

variable "keep_files_bucket" {
  description = "S3 bucket that files_in of the config names, for deliveries too large for the queue. The bucket must exist."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^(|[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])$", var.keep_files_bucket))
    error_message = "This is not a valid bucket name."
  }
}

variable "count_table" {
  description = "DynamoDB table that counted_in of the config names, in the region of the function. The table must exist, with the string id as its partition key."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^(|[A-Za-z0-9_.-]{3,255})$", var.count_table))
    error_message = "This is not a valid table name."
  }
}

variable "alarm_email" {
  description = "Mail address that gets an alarm when something fails or needs your attention."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^(|[^@\\s<>,]+@[^@\\s<>,]+)$", var.alarm_email))
    error_message = "Use a bare address, such as forms@example.com."
  }
}

variable "access_log" {
  description = "Whether API Gateway logs each request, without its query, body and IP address."
  type        = bool
  default     = true
}

variable "allowed_origins" {
  description = "Comma-separated origins whose pages may read responses, such as https://example.com. Empty means all."
  type        = string
  default     = ""
}

variable "public_url" {
  description = "Public address of the relay, such as https://forms.example.com. If empty, derived from each request."
  type        = string
  default     = ""
}

variable "environment" {
  description = "More variables of the function, which the config reads with {{ env \"NAME\" }}."
  type        = map(string)
  default     = {}
  sensitive   = true
}

variable "throttle_rate_limit" {
  description = "Average number of requests per second that the API answers."
  type        = number
  default     = 10

  validation {
    condition     = var.throttle_rate_limit > 0
    error_message = "Use a number above 0."
  }
}

variable "throttle_burst_limit" {
  description = "Requests that may arrive at once before the rate applies."
  type        = number
  default     = 20

  validation {
    condition     = var.throttle_burst_limit >= 1 && floor(var.throttle_burst_limit) == var.throttle_burst_limit
    error_message = "Use a whole number of at least 1."
  }
}

variable "log_level" {
  description = "The lowest level to log: info, warn or error. Empty means info."
  type        = string
  default     = ""

  validation {
    condition     = contains(["", "info", "warn", "error"], var.log_level)
    error_message = "Use info, warn or error."
  }
}

variable "log_retention_days" {
  description = "How long CloudWatch keeps the logs."
  type        = number
  default     = 30

  validation {
    condition     = contains([1, 3, 5, 7, 14, 30, 60, 90, 180, 365], var.log_retention_days)
    error_message = "Use 1, 3, 5, 7, 14, 30, 60, 90, 180 or 365."
  }
}
