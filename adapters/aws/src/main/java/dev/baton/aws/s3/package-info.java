/** Queues, VM states and other small objects in buckets of S3. */
package dev.baton.aws.s3;
