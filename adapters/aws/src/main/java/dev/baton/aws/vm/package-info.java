/** States of VMs in S3, with their journals there or in DynamoDB. */
package dev.baton.aws.vm;
