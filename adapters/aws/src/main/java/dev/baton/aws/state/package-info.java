/** States of deployments in buckets of S3. */
package dev.baton.aws.state;
