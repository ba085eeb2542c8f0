// Package pbdrpc holds the stubs that drpc generates from the contract.
package pbdrpc

import "github.com/tenon-go/tenon/benchmarks/contract/pb"

// The generated stubs expect the messages in their own package.
type (
	AddRequest      = pb.AddRequest
	AddResponse     = pb.AddResponse
	User            = pb.User
	ListRequest     = pb.ListRequest
	ListResponse    = pb.ListResponse
	UploadRequest   = pb.UploadRequest
	UploadResponse  = pb.UploadResponse
	FeedRequest     = pb.FeedRequest
	Item            = pb.Item
	Piece           = pb.Piece
	CollectResponse = pb.CollectResponse
)
