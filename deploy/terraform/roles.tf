# Permissions of the functions. The public function queues failed deliveries, but cannot read the queue; the
# function called by SQS delivers queued messages, and removes them.

data "aws_iam_policy_document" "assume" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["lambda.amazonaws.com"]
    }
  }
}

resource "aws_iam_role" "relay" {
  name               = var.name
  assume_role_policy = data.aws_iam_policy_document.assume.json
}

resource "aws_iam_role_policy" "relay" {
  name   = var.name
  role   = aws_iam_role.relay.id
  policy = data.aws_iam_policy_document.relay.json
}

resource "aws_iam_role" "kept" {
  count = local.keep

  name               = "${var.name}-kept"
  assume_role_policy = data.aws_iam_policy_document.assume.json
}

resource "aws_iam_role_policy" "kept" {
  count = local.keep

  name   = "${var.name}-kept"
  role   = aws_iam_role.kept[0].id
  policy = data.aws_iam_policy_document.kept[0].json
}

# Both functions: write the log, read the config object, send from the one address.
data "aws_iam_policy_document" "common" {
  statement {
    sid       = "WriteLog"
    actions   = ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["${aws_cloudwatch_log_group.relay.arn}:*"]
  }

  # Without s3:ListBucket, a missing object is reported as "access denied". That is the price of not listing
  # the bucket.
  dynamic "statement" {
    for_each = var.config_bucket == "" ? [] : [var.config_bucket]

    content {
      sid     = "ReadConfig"
      actions = ["s3:GetObject"]
      resources = [
        "arn:${local.partition}:s3:::${statement.value}/${var.config_key}",
        # Lists named by the config, such as lists/words.txt.
        "arn:${local.partition}:s3:::${statement.value}/lists/*",
      ]
    }
  }

  # Only through the service that stores the config.
  dynamic "statement" {
    for_each = length(var.kms_key_arns) == 0 ? [] : [var.kms_key_arns]

    content {
      sid       = "Decrypt"
      actions   = ["kms:Decrypt"]
      resources = statement.value

      condition {
        test     = "StringLike"
        variable = "kms:ViaService"
        values   = ["s3.*"]
      }
    }
  }

  # SES requires the second action for MIME mails: HTML, own headers, mails to visitors.
  # The condition restricts the sender. The resource cannot: in the sandbox, SES also checks permission on the
  # recipients' identities, and everywhere on the configuration set, even if it is only the sender's default.
  dynamic "statement" {
    for_each = var.mail_from_address == "" ? [] : [var.mail_from_address]

    content {
      sid       = "SendMail"
      actions   = ["ses:SendEmail", "ses:SendRawEmail"]
      resources = ["${local.ses}:identity/*", "${local.ses}:configuration-set/*"]

      condition {
        test     = "StringEquals"
        variable = "ses:FromAddress"
        values   = [statement.value]
      }
    }
  }

  # A bucket needs it if it is encrypted with a key of your own.
  dynamic "statement" {
    for_each = local.keeps_files && length(var.kms_key_arns) > 0 ? [var.kms_key_arns] : []

    content {
      sid       = "EncryptFiles"
      actions   = ["kms:GenerateDataKey"]
      resources = statement.value

      condition {
        test     = "StringLike"
        variable = "kms:ViaService"
        values   = ["s3.*"]
      }
    }
  }
}

data "aws_iam_policy_document" "relay" {
  source_policy_documents = [data.aws_iam_policy_document.common.json]

  dynamic "statement" {
    for_each = var.keep_queue ? [true] : []

    content {
      sid       = "Keep"
      actions   = ["sqs:SendMessage", "sqs:GetQueueAttributes"]
      resources = [aws_sqs_queue.kept[0].arn, aws_sqs_queue.kept_aside[0].arn]
    }
  }

  # Every object that the relay writes has a name of this form, whatever prefix files_in has.
  dynamic "statement" {
    for_each = local.keeps_files ? [local.kept_files] : []

    content {
      sid       = "KeepFiles"
      actions   = ["s3:PutObject"]
      resources = [statement.value]
    }
  }

  # The function that delivers queued submissions counts nothing: their places are already taken.
  dynamic "statement" {
    for_each = var.count_table == "" ? [] : [var.count_table]

    content {
      sid       = "Count"
      actions   = ["dynamodb:GetItem", "dynamodb:PutItem"]
      resources = ["arn:${local.partition}:dynamodb:${local.region}:${local.account}:table/${statement.value}"]
    }
  }
}

data "aws_iam_policy_document" "kept" {
  count = local.keep

  source_policy_documents = [data.aws_iam_policy_document.common.json]

  statement {
    sid = "Deliver"
    actions = [
      "sqs:SendMessage",
      "sqs:ReceiveMessage",
      "sqs:DeleteMessage",
      "sqs:ChangeMessageVisibility",
      "sqs:GetQueueAttributes",
    ]
    resources = [aws_sqs_queue.kept[0].arn]
  }

  # Only the owner reads and removes dead letters.
  statement {
    sid       = "KeepAside"
    actions   = ["sqs:SendMessage", "sqs:GetQueueAttributes"]
    resources = [aws_sqs_queue.kept_aside[0].arn]
  }

  dynamic "statement" {
    for_each = local.keeps_files ? [local.kept_files] : []

    content {
      sid       = "DeliverFiles"
      actions   = ["s3:PutObject", "s3:GetObject", "s3:DeleteObject"]
      resources = [statement.value]
    }
  }
}
