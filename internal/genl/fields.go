package genl

import (
	"fmt"

	"github.com/mdlayher/netlink"
)

// Field says how one attribute fills a T.
type Field[T any] struct {
	Type     uint16
	Name     string // the constant in the kernel's header, for errors
	Required bool
	Read     func(*T, *netlink.AttributeDecoder)
}

// Decode fills into from attributes. Attributes that are not among the fields
// are passed over: newer kernels send more. Errors name the attribute that was
// malformed or is missing; what came before it has been filled in.
func Decode[T any](into *T, attributes []byte, fields []Field[T]) error {
	decoder, err := netlink.NewAttributeDecoder(attributes)
	if err != nil {
		return fmt.Errorf("attributes: %w", err)
	}
	return DecodeFrom(into, decoder, fields)
}

// DecodeFrom is Decode from an open decoder, for nested attributes.
func DecodeFrom[T any](into *T, decoder *netlink.AttributeDecoder, fields []Field[T]) error {
	seen := make([]bool, len(fields))
	for decoder.Next() {
		for i := range fields {
			if fields[i].Type != decoder.Type() {
				continue
			}
			seen[i] = true
			fields[i].Read(into, decoder)
			if err := decoder.Err(); err != nil {
				return fmt.Errorf("%s: %w", fields[i].Name, err)
			}
		}
	}
	if err := decoder.Err(); err != nil {
		return fmt.Errorf("attributes: %w", err)
	}
	for i := range fields {
		if fields[i].Required && !seen[i] {
			return fmt.Errorf("%s: missing", fields[i].Name)
		}
	}
	return nil
}

// Nest is a field of a nest whose attributes fill the same T.
func Nest[T any](kind uint16, name string, fields ...Field[T]) Field[T] {
	return Field[T]{Type: kind, Name: name, Read: func(v *T, d *netlink.AttributeDecoder) {
		d.Nested(func(nest *netlink.AttributeDecoder) error { return DecodeFrom(v, nest, fields) })
	}}
}

// Each is a field that comes once for each element of a list, in a nest of its own.
func Each[T any](kind uint16, name string, fields ...Field[T]) Field[[]T] {
	return Field[[]T]{Type: kind, Name: name, Read: func(all *[]T, d *netlink.AttributeDecoder) {
		var v T
		d.Nested(func(nest *netlink.AttributeDecoder) error { return DecodeFrom(&v, nest, fields) })
		*all = append(*all, v)
	}}
}
