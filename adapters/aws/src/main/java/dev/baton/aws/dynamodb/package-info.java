/** Queues in tables of DynamoDB, and lock items beside them that programs without a queue share. */
package dev.baton.aws.dynamodb;
