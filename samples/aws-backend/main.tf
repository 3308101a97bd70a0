variable "bucket" {
  type    = string
  default = "company-deployer-state"
}

variable "table" {
  type    = string
  default = "deployer-state-locks"
}

variable "alerts_topic_arn" {
  type = string
}

resource "aws_s3_bucket" "deployer_state" {
  bucket = var.bucket

  tags = {
    Name      = "deployer-state"
    ManagedBy = "terraform"
  }
}

resource "aws_s3_bucket_versioning" "deployer_state" {
  bucket = aws_s3_bucket.deployer_state.id

  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket_server_side_encryption_configuration" "deployer_state" {
  bucket = aws_s3_bucket.deployer_state.id

  rule {
    apply_server_side_encryption_by_default {
      sse_algorithm = "AES256"
    }
  }
}

resource "aws_s3_bucket_public_access_block" "deployer_state" {
  bucket = aws_s3_bucket.deployer_state.id

  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

# By tag: a prefix knows no wildcard, and "stacks/" would delete the states themselves.
resource "aws_s3_bucket_lifecycle_configuration" "deployer_state" {
  depends_on = [aws_s3_bucket_versioning.deployer_state]
  bucket     = aws_s3_bucket.deployer_state.id

  rule {
    id     = "delete-old-versions"
    status = "Enabled"

    filter {}

    noncurrent_version_expiration {
      noncurrent_days = 90
    }
  }

  rule {
    id     = "delete-old-history"
    status = "Enabled"

    filter {
      tag {
        key   = "baton"
        value = "history"
      }
    }

    expiration {
      days = 90
    }
  }
}

resource "aws_dynamodb_table" "deployer_locks" {
  name         = var.table
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "lockKey"

  attribute {
    name = "lockKey"
    type = "S"
  }

  ttl {
    attribute_name = "expiresAt"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = true
  }

  tags = {
    Name      = "deployer-state-locks"
    ManagedBy = "terraform"
  }
}

resource "aws_cloudwatch_metric_alarm" "stale_locks" {
  alarm_name          = "deployer-stale-locks"
  alarm_description   = "Alert when stale locks are detected"
  namespace           = "Deployer"
  metric_name         = "deployer.lock.stale.detected"
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alerts_topic_arn]
}

resource "aws_cloudwatch_metric_alarm" "lock_contention" {
  alarm_name          = "deployer-high-lock-contention"
  alarm_description   = "Alert when lock acquisition failures are high"
  namespace           = "Deployer"
  metric_name         = "deployer.lock.acquisition.failure"
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 2
  threshold           = 10
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alerts_topic_arn]
}
