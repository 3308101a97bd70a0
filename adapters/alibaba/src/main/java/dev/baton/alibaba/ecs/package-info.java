/**
 * Build VMs on Alibaba Cloud: networks and addresses of VPC, machines of ECS, commands by Cloud
 * Assistant.
 *
 * <p>{@link dev.baton.alibaba.ecs.AliyunCloudKind} is the way in for {@code aliyun} as the name of
 * a cloud. What it needs to be allowed, what it costs and how to look after a crash is in {@code
 * docs/alibaba-cloud.md}.
 */
package dev.baton.alibaba.ecs;
