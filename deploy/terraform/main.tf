# Form Relay on AWS Lambda behind an API Gateway HTTP API. See docs/deploy/aws-lambda-terraform.md.

data "aws_caller_identity" "this" {}
data "aws_partition" "this" {}
data "aws_region" "this" {}

locals {
  partition = data.aws_partition.this.partition
  region    = data.aws_region.this.name
  account   = data.aws_caller_identity.this.account_id
  ses       = "arn:${local.partition}:ses:${local.region}:${local.account}"

  # The relay treats empty variables as unset, so its own defaults apply.
  environment = merge(var.environment, {
    CONFIG_BUCKET        = var.config_bucket
    CONFIG_BUCKET_REGION = var.config_bucket_region
    CONFIG_KEY           = var.config_key
    CONFIG_INLINE        = var.raw_config
    CACHE_TTL            = var.cache_ttl
    MAIL_FROM_ADDRESS    = var.mail_from_address
    FORM_TOKEN_SECRET    = var.form_token_secret
    KEEP_SECRET          = var.keep_secret
    RECEIPT_SECRET       = var.receipt_secret
    ALLOWED_ORIGINS      = var.allowed_origins
    PUBLIC_URL           = var.public_url
    LOG_LEVEL            = var.log_level
  })
}

resource "aws_lambda_function" "relay" {
  function_name    = var.name
  description      = "Form Relay"
  filename         = var.package
  source_code_hash = filebase64sha256(var.package)
  handler          = "lambda.handler"
  # The newest version that the provider's version 5 supports.
  runtime = "nodejs22.x"
  # The bundle is plain JavaScript, and Arm costs a fifth less.
  architectures = ["arm64"]
  memory_size   = 128
  # API Gateway times out after 30 s; the relay answers within 25.
  timeout = 25
  role    = aws_iam_role.relay.arn

  logging_config {
    log_group  = aws_cloudwatch_log_group.relay.name
    log_format = "Text"
  }

  environment {
    variables = local.environment
  }

  lifecycle {
    precondition {
      condition     = var.config_bucket != "" || var.raw_config != ""
      error_message = "Set config_bucket or, for a trial, raw_config."
    }
  }
}

resource "aws_cloudwatch_log_group" "relay" {
  name              = "/aws/lambda/${var.name}"
  retention_in_days = var.log_retention_days
}

# No cors_configuration: the relay answers CORS itself, from ALLOWED_ORIGINS. With both, API Gateway's would
# take precedence.
resource "aws_apigatewayv2_api" "relay" {
  name          = var.name
  protocol_type = "HTTP"
}

resource "aws_apigatewayv2_integration" "relay" {
  api_id                 = aws_apigatewayv2_api.relay.id
  integration_type       = "AWS_PROXY"
  integration_uri        = aws_lambda_function.relay.invoke_arn
  payload_format_version = "2.0"
}

# All requests reach the relay, so a missing form name is the relay's 400 instead of API Gateway's 404.
resource "aws_apigatewayv2_route" "everything" {
  api_id    = aws_apigatewayv2_api.relay.id
  route_key = "$default"
  target    = "integrations/${aws_apigatewayv2_integration.relay.id}"
}

resource "aws_apigatewayv2_stage" "default" {
  api_id      = aws_apigatewayv2_api.relay.id
  name        = "$default"
  auto_deploy = true

  # Set both limits: a missing one counts as 0, which refuses everything.
  default_route_settings {
    throttling_rate_limit  = var.throttle_rate_limit
    throttling_burst_limit = var.throttle_burst_limit
  }

  # Each request and its answer. Omits queries and addresses, because they may contain visitors' data.
  dynamic "access_log_settings" {
    for_each = aws_cloudwatch_log_group.access[*].arn

    content {
      destination_arn = access_log_settings.value
      format = jsonencode({
        time      = "$context.requestTime"
        requestId = "$context.requestId"
        method    = "$context.httpMethod"
        path      = "$context.path"
        status    = "$context.status"
        bytes     = "$context.responseLength"
        ms        = "$context.responseLatency"
        error     = "$context.integrationErrorMessage"
      })
    }
  }
}

# The prefix for logs of AWS services: with other names, the resource policy for log groups would reach its
# size limit.
resource "aws_cloudwatch_log_group" "access" {
  count = var.access_log ? 1 : 0

  name              = "/aws/vendedlogs/${var.name}"
  retention_in_days = var.log_retention_days
}

resource "aws_lambda_permission" "api" {
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.relay.function_name
  principal     = "apigateway.amazonaws.com"
  source_arn    = "${aws_apigatewayv2_api.relay.execution_arn}/*"
}
