package worker

import "time"

// PollingOfParent is what the parent wants of this process, in a worker.
func PollingOfParent() *time.Duration { return child.polling }
