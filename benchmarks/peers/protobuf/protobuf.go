// Package protobuf joins the contract to its messages of protobuf, for the peers
// that are generated from those.
package protobuf

import (
	"context"
	"sync"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/tenon-go/tenon/benchmarks/contract"
	"github.com/tenon-go/tenon/benchmarks/contract/pb"
)

// A Service is the contract as the peers with protobuf have it.
type Service interface {
	Add(context.Context, *pb.AddRequest) (*pb.AddResponse, error)
	Echo(context.Context, *pb.User) (*pb.User, error)
	List(context.Context, *pb.ListRequest) (*pb.ListResponse, error)
	Upload(context.Context, *pb.UploadRequest) (*pb.UploadResponse, error)
}

// A Client makes a Directory of a client with protobuf. The caller's side
// converts the messages, as an application with types of its own does; the
// serving side does not.
type Client struct{ Service Service }

func (c Client) Add(ctx context.Context, a, b int64) (int64, error) {
	r, err := c.Service.Add(ctx, &pb.AddRequest{A: a, B: b})
	return r.GetSum(), err
}

func (c Client) Echo(ctx context.Context, user contract.User) (contract.User, error) {
	r, err := c.Service.Echo(ctx, toProtobuf(user))
	if err != nil {
		return contract.User{}, err
	}
	return fromProtobuf(r), nil
}

func (c Client) List(ctx context.Context, n int) ([]contract.User, error) {
	r, err := c.Service.List(ctx, &pb.ListRequest{N: int64(n)})
	if err != nil {
		return nil, err
	}
	list := make([]contract.User, len(r.Users))
	for i, u := range r.Users {
		list[i] = fromProtobuf(u)
	}
	return list, nil
}

func (c Client) Upload(ctx context.Context, data []byte) (int, error) {
	r, err := c.Service.Upload(ctx, &pb.UploadRequest{Data: data})
	return int(r.GetLength()), err
}

// A Server serves contract.Local's answers. Its zero value is ready.
type Server struct{}

// users are contract.Users, made when they are first asked for.
var users = sync.OnceValue(func() []*pb.User {
	list := make([]*pb.User, contract.MaxList)
	for i, u := range contract.Users(contract.MaxList) {
		list[i] = toProtobuf(u)
	}
	return list
})

func (Server) Add(_ context.Context, r *pb.AddRequest) (*pb.AddResponse, error) {
	return &pb.AddResponse{Sum: r.A + r.B}, nil
}

func (Server) Echo(_ context.Context, u *pb.User) (*pb.User, error) { return u, nil }

func (Server) List(ctx context.Context, r *pb.ListRequest) (*pb.ListResponse, error) {
	list, err := contract.Local{}.List(ctx, int(r.N))
	if err != nil {
		return nil, err
	}
	return &pb.ListResponse{Users: users()[:len(list)]}, nil
}

func (Server) Upload(_ context.Context, r *pb.UploadRequest) (*pb.UploadResponse, error) {
	return &pb.UploadResponse{Length: int64(len(r.Data))}, nil
}

func toProtobuf(u contract.User) *pb.User {
	return &pb.User{
		Id: u.ID, Name: u.Name, Email: u.Email, Age: u.Age, Active: u.Active, Score: u.Score,
		Created: timestamppb.New(u.Created), Tags: u.Tags,
	}
}

func fromProtobuf(u *pb.User) contract.User {
	return contract.User{
		ID: u.Id, Name: u.Name, Email: u.Email, Age: u.Age, Active: u.Active, Score: u.Score,
		Created: u.Created.AsTime(), Tags: u.Tags,
	}
}
