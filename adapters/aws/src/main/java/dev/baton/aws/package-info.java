/** Queues, locks and VM states in S3 and DynamoDB. */
package dev.baton.aws;
