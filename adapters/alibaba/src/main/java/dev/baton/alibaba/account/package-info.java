/**
 * Whose account of Alibaba Cloud is used, in which region, and how its services are reached: what
 * the rooms beside this one have in common.
 */
package dev.baton.alibaba.account;
