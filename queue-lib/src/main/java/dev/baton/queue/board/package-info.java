/** What maintainers say to a queue in the issue that shows it. Pure, but for asking the issue. */
package dev.baton.queue.board;
