package collisions

import "context"

//tenon:service
type Shop interface {
	Open(ctx context.Context) error
}

//tenon:service
type ShopPerConn interface {
	Open(ctx context.Context) error
}

func CheckShop() bool { return true }

type NewShopClient struct{}

func (NewShopClient) RegisterShop() {}
