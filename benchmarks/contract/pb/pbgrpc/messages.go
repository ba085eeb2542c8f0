// Package pbgrpc holds the stubs that grpc-go generates from the contract.
package pbgrpc

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
