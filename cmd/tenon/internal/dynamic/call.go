// Package dynamic calls methods whose types are known from the other side only.
package dynamic

import (
	"context"
	"errors"
	"fmt"

	"github.com/tenon-go/tenon"
	"github.com/tenon-go/tenon/cmd/tenon/internal/jsonvalue"
	"github.com/tenon-go/tenon/codec"
	"github.com/tenon-go/tenon/internal/shape"
)

// encoded is the codec of values that are encoded already.
var encoded = tenon.Codec[[]byte]{
	Append: func(b []byte, e *codec.Encoder, v *[]byte) []byte { return codec.AppendRaw(b, e, *v) },
	Decode: func(d *codec.Decoder, v *[]byte) { *v = d.Raw() },
}

// Call calls the offered method with arguments in JSON, and returns its results
// in JSON; see [jsonvalue.Arguments] and [jsonvalue.Results]. Methods with
// streams or functions are refused.
func Call(ctx context.Context, c tenon.Caller, offer tenon.Offer, args [][]byte) ([]byte, error) {
	s, err := shape.Parse(offer.Shape)
	if err != nil {
		return nil, err
	}
	if len(s.Ports) > 0 {
		return nil, errors.New("it has streams or functions, which only a program can pass: call it through the generated client")
	}
	message, err := jsonvalue.Arguments(s.Params, args)
	if err != nil {
		return nil, err
	}
	method := &tenon.Method[[]byte, []byte]{Name: offer.Name, Shape: offer.Shape, Args: encoded, Result: encoded}
	answer, err := method.Call(ctx, c, message)
	if err != nil {
		return nil, err
	}
	result, err := jsonvalue.Results(s.Results, answer)
	if err != nil {
		return nil, fmt.Errorf("the call succeeded, but its %w", err)
	}
	return result, nil
}
