/**
 * Gets an account of Alibaba Cloud ready: {@link dev.baton.alibaba.setup.AliyunSetup} is the way
 * in. What it does and what can go wrong is in {@code docs/alibaba-cloud.md}.
 */
package dev.baton.alibaba.setup;
