# SES tells the topic what became of mails, and the topic whoever wants to know.

locals {
  bounces = var.tell_bounces ? 1 : 0
}

resource "aws_sesv2_configuration_set" "relay" {
  count = local.bounces

  configuration_set_name = var.name
}

resource "aws_sns_topic" "bounces" {
  count = local.bounces

  name = "${var.name}-bounces"
}

resource "aws_sns_topic_policy" "bounces" {
  count = local.bounces

  arn    = aws_sns_topic.bounces[0].arn
  policy = data.aws_iam_policy_document.bounces[0].json
}

data "aws_iam_policy_document" "bounces" {
  count = local.bounces

  statement {
    actions   = ["sns:Publish"]
    resources = [aws_sns_topic.bounces[0].arn]

    principals {
      type        = "Service"
      identifiers = ["ses.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "AWS:SourceAccount"
      values   = [local.account]
    }
  }
}

resource "aws_sesv2_configuration_set_event_destination" "bounces" {
  count = local.bounces

  configuration_set_name = aws_sesv2_configuration_set.relay[0].configuration_set_name
  event_destination_name = "bounces"

  event_destination {
    enabled              = true
    matching_event_types = ["BOUNCE", "COMPLAINT", "REJECT"]

    sns_destination {
      topic_arn = aws_sns_topic.bounces[0].arn
    }
  }

  # SES tries whether it may.
  depends_on = [aws_sns_topic_policy.bounces]
}

resource "aws_sns_topic_subscription" "bounces" {
  count = var.tell_bounces ? local.alarm : 0

  topic_arn = aws_sns_topic.bounces[0].arn
  protocol  = "email"
  endpoint  = var.alarm_email
}
