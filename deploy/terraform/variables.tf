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
  description = "S3 bucket that holds the config. It must exist; it is only read."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^(|[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])$", var.config_bucket))
    error_message = "This is no name of a bucket."
  }
}

variable "config_bucket_region" {
  description = "The bucket's region, where it is another one than that of the function."
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
  description = "The config itself, for local use only. Wins over the bucket. All variables of a function share 4 KB."
  type        = string
  default     = ""
}

variable "cache_ttl" {
  description = "How long a loaded config is used before it is fetched again, such as 30s or 5m."
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
  description = "Signs min-fill tokens. Forms with spam.min_fill_seconds need it."
  type        = string
  default     = ""
  sensitive   = true

  validation {
    condition     = can(regex("^(|.{32,})$", var.form_token_secret)) && !startswith(var.form_token_secret, "arn:")
    error_message = "Use at least 32 characters, such as `openssl rand -hex 32` prints, and no ARN."
  }
}

variable "keep_queue" {
  description = "Makes a queue for forms with keep, and what delivers out of it. The output keep_in is for the config."
  type        = bool
  default     = false
}

variable "keep_secret" {
  description = "Encrypts kept deliveries. They are lost without it."
  type        = string
  default     = ""
  sensitive   = true

  validation {
    condition     = can(regex("^(|.{32,})$", var.keep_secret)) && !startswith(var.keep_secret, "arn:")
    error_message = "Use at least 32 characters, such as `openssl rand -hex 32` prints, and no ARN."
  }
}

variable "receipt_secret" {
  description = "Signs the receipts of forms with receipt, which need it."
  type        = string
  default     = ""
  sensitive   = true

  validation {
    condition     = can(regex("^(|.{32,})$", var.receipt_secret)) && !startswith(var.receipt_secret, "arn:")
    error_message = "Use at least 32 characters, such as `openssl rand -hex 32` prints, and no ARN."
  }
}

variable "kms_key_arns" {
  description = "ARNs of your own keys of KMS that encrypt the buckets."
  type        = list(string)
  default     = []
}

variable "keep_files_bucket" {
  description = "S3 bucket that files_in of the config names, for what is too large for the queue. It must exist."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^(|[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])$", var.keep_files_bucket))
    error_message = "This is no name of a bucket."
  }
}

variable "count_table" {
  description = "DynamoDB table that counted_in of the config names, in the region of the function. It must exist, with the partition key id, a string."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^(|[A-Za-z0-9_.-]{3,255})$", var.count_table))
    error_message = "This is no name of a table."
  }
}

variable "alarm_email" {
  description = "The address that is told by mail when something fails or waits for its owner."
  type        = string
  default     = ""

  validation {
    condition     = can(regex("^(|[^@\\s<>,]+@[^@\\s<>,]+)$", var.alarm_email))
    error_message = "Use a bare address, such as forms@example.com."
  }
}

variable "access_log" {
  description = "Whether API Gateway logs each request, without query, body and address."
  type        = bool
  default     = true
}

variable "allowed_origins" {
  description = "Comma-separated origins whose pages may read the answers, such as https://example.com. Empty is all."
  type        = string
  default     = ""
}

variable "public_url" {
  description = "Where visitors reach the relay, such as https://forms.example.com. Empty is guessed from each request."
  type        = string
  default     = ""
}

variable "environment" {
  description = "More variables of the function: whatever the config reads with {{ env \"NAME\" }}."
  type        = map(string)
  default     = {}
  sensitive   = true
}

variable "throttle_rate_limit" {
  description = "Requests per second that the API answers in the long run."
  type        = number
  default     = 10

  validation {
    condition     = var.throttle_rate_limit > 0
    error_message = "Use a number above 0."
  }
}

variable "throttle_burst_limit" {
  description = "Requests that may come at once before the rate applies."
  type        = number
  default     = 20

  validation {
    condition     = var.throttle_burst_limit >= 1 && floor(var.throttle_burst_limit) == var.throttle_burst_limit
    error_message = "Use a whole number of at least 1."
  }
}

variable "log_level" {
  description = "The lowest level that is logged: info, warn or error. Empty is info."
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
