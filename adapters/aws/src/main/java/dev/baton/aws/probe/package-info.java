/** What the probes of S3 and of DynamoDB have in common. */
package dev.baton.aws.probe;
