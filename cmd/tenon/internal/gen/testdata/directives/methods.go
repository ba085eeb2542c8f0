package directives

import "context"

// tenon:service
type SpaceAlone interface{ M(context.Context) error }

// tenon:service name=a.B
type SpaceAndOption interface{ M(context.Context) error }

// tenon:Service
type Capital interface{ M(context.Context) error }

// Tenon:service
type Capitals interface{ M(context.Context) error }

// tenon: service
type SpaceWithin interface{ M(context.Context) error }

// tenon:
type Nothing interface{ M(context.Context) error }

//tenon:retry
type Unknown interface{ M(context.Context) error }

// Methods has faults besides those of its directives.
//
//tenon:service
type Methods interface {
	//tenon:idempotent
	Right(ctx context.Context) error
	//tenon:idempotent twice
	Option(ctx context.Context) error
	//tenon:idempotant
	Misspelt(ctx context.Context) error
	Behind(ctx context.Context) error //tenon:idempotent
	//tenon:idempotent
	Embedded
	//tenon:service
	Service(ctx context.Context) error
	NoContext() error
	NoError(ctx context.Context) int
}

type Embedded interface{ M(context.Context) error }

//tenon:idempotent
type Idempotent interface{ M(context.Context) error }

// Prose that speaks of it is none.
//
// tenon:service marks an interface.
var missing = NewUnknownClient(nil)
