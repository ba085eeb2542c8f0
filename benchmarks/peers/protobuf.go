package peers

import (
	"context"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/tenon-go/tenon/benchmarks/contract"
	"github.com/tenon-go/tenon/benchmarks/contract/pb"
)

// protobufService is the contract as the peers with protobuf have it.
type protobufService interface {
	Add(context.Context, *pb.AddRequest) (*pb.AddResponse, error)
	Echo(context.Context, *pb.User) (*pb.User, error)
	List(context.Context, *pb.ListRequest) (*pb.ListResponse, error)
	Upload(context.Context, *pb.UploadRequest) (*pb.UploadResponse, error)
}

// protobufClient makes a Directory of a client with protobuf. The caller's side
// converts the messages, as an application with types of its own does; the
// serving side does not.
type protobufClient struct{ service protobufService }

func (c protobufClient) Add(ctx context.Context, a, b int64) (int64, error) {
	r, err := c.service.Add(ctx, &pb.AddRequest{A: a, B: b})
	return r.GetSum(), err
}

func (c protobufClient) Echo(ctx context.Context, user contract.User) (contract.User, error) {
	r, err := c.service.Echo(ctx, toProtobuf(user))
	if err != nil {
		return contract.User{}, err
	}
	return fromProtobuf(r), nil
}

func (c protobufClient) List(ctx context.Context, n int) ([]contract.User, error) {
	r, err := c.service.List(ctx, &pb.ListRequest{N: int64(n)})
	if err != nil {
		return nil, err
	}
	list := make([]contract.User, len(r.Users))
	for i, u := range r.Users {
		list[i] = fromProtobuf(u)
	}
	return list, nil
}

func (c protobufClient) Upload(ctx context.Context, data []byte) (int, error) {
	r, err := c.service.Upload(ctx, &pb.UploadRequest{Data: data})
	return int(r.GetLength()), err
}

// protobufServer serves contract.Local's answers.
type protobufServer struct {
	pb.UnimplementedDirectoryServer
	users []*pb.User
}

func newProtobufServer() *protobufServer {
	s := new(protobufServer)
	for _, u := range contract.Users(contract.MaxList) {
		s.users = append(s.users, toProtobuf(u))
	}
	return s
}

func (s *protobufServer) Add(_ context.Context, r *pb.AddRequest) (*pb.AddResponse, error) {
	return &pb.AddResponse{Sum: r.A + r.B}, nil
}

func (s *protobufServer) Echo(_ context.Context, u *pb.User) (*pb.User, error) { return u, nil }

func (s *protobufServer) List(ctx context.Context, r *pb.ListRequest) (*pb.ListResponse, error) {
	list, err := contract.Local{}.List(ctx, int(r.N))
	if err != nil {
		return nil, err
	}
	return &pb.ListResponse{Users: s.users[:len(list)]}, nil
}

func (s *protobufServer) Upload(_ context.Context, r *pb.UploadRequest) (*pb.UploadResponse, error) {
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
