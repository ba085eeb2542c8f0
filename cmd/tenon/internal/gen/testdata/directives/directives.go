package directives

import "context"

//tenon:service
type Struct struct{}

//tenon:service nam=x
type UnknownOption interface{ M(context.Context) error }

//tenon:service name=a/b name=9
type BadName interface{ M(context.Context) error }

//tenon:service
type Generic[T any] interface {
	M(context.Context, T) error
}

// A block has one comment per declaration.
//
//tenon:service
type (
	InBlock interface{ M(context.Context) error }
)

//tenon:servise
type Misspelt interface{ M(context.Context) error }

// tenon:service is no directive with a space before it.
type Spaced interface{ M(context.Context) error }

func f() {
	//tenon:service
}
