/** Credentials, regions and endpoints of AWS, and what failures of its services mean. */
package dev.baton.aws.account;
