# The rights of the functions. The one that everybody reaches puts into the queue what it could not deliver, and reads
# nothing there; the one that SQS calls delivers what is there, and removes it.

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

# Both: write the log, read the one object, send from the one address.
data "aws_iam_policy_document" "common" {
  statement {
    sid       = "WriteLog"
    actions   = ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["${aws_cloudwatch_log_group.relay.arn}:*"]
  }

  # Without s3:ListBucket a missing object is reported as "access denied": the price of not listing the bucket.
  dynamic "statement" {
    for_each = var.config_bucket == "" ? [] : [var.config_bucket]

    content {
      sid     = "ReadConfig"
      actions = ["s3:GetObject"]
      resources = [
        "arn:${local.partition}:s3:::${statement.value}/${var.config_key}",
        # Lists that the config names, such as lists/words.txt.
        "arn:${local.partition}:s3:::${statement.value}/lists/*",
      ]
    }
  }

  # Through what holds the config alone.
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

  # SES asks for the second action where a mail is MIME: as HTML, with headers, to a visitor.
  # The condition restricts the sender. The resource cannot: in the sandbox SES asks for permission on the recipients'
  # identities as well, and anywhere on the configuration set, be it the sender's default.
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

  # A bucket that is encrypted with a key of your own asks for it.
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

  # All that the relay puts there has a name of this kind, whatever files_in says comes before.
  dynamic "statement" {
    for_each = local.keeps_files ? [local.kept_files] : []

    content {
      sid       = "KeepFiles"
      actions   = ["s3:PutObject"]
      resources = [statement.value]
    }
  }

  # The function that delivers kept submissions counts nothing: their places are taken already.
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

  # Only the owner reads and removes what waits there.
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
