package gentest

import (
	"testing"
	"time"

	"github.com/tenon-go/tenon/codec"
)

var user = User{
	ID: 1234567, Name: "Ada Lovelace", Email: "ada@example.com", Age: 36, Active: true, Score: 98.5,
	Created: time.Date(2026, 11, 30, 12, 0, 0, 123456789, time.UTC), Tags: []string{"admin", "author"},
}

func BenchmarkUserAppend(b *testing.B) {
	var e codec.Encoder
	buf := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		e.Reset()
		buf = echoAppendUser(buf[:0], &e, &user)
	}
	b.SetBytes(int64(len(buf)))
}

func BenchmarkUserDecode(b *testing.B) {
	var e codec.Encoder
	message := echoAppendUser(nil, &e, &user)
	b.SetBytes(int64(len(message)))
	b.ReportAllocs()
	var d codec.Decoder
	for b.Loop() {
		var v User
		d.Reset(message)
		echoDecodeUser(&d, &v)
		if d.Finish() != nil {
			b.Fatal(d.Err())
		}
	}
}

func BenchmarkUsersAppend(b *testing.B) {
	users := make([]User, 100)
	for i := range users {
		users[i] = user
	}
	var e codec.Encoder
	buf := make([]byte, 0, 16<<10)
	b.ReportAllocs()
	for b.Loop() {
		e.Reset()
		buf = echoAppendUserSlice(buf[:0], &e, &users)
	}
}

func BenchmarkUsersDecode(b *testing.B) {
	users := make([]User, 100)
	for i := range users {
		users[i] = user
	}
	var e codec.Encoder
	message := echoAppendUserSlice(nil, &e, &users)
	b.ReportAllocs()
	var d codec.Decoder
	for b.Loop() {
		var v []User
		d.Reset(message)
		echoDecodeUserSlice(&d, &v)
		if d.Finish() != nil {
			b.Fatal(d.Err())
		}
	}
}
