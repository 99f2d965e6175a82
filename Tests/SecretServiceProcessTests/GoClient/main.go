// A client of the Secret Service, written after its specification
// (https://specifications.freedesktop.org/secret-service-spec/latest/) and with nothing but a library for D-Bus.
//
//	go-client ALGORITHM store LABEL NAME=VALUE...    the secret comes from standard input
//	go-client ALGORITHM read NAME=VALUE...           the first one's secret goes to standard output
//	go-client ALGORITHM delete NAME=VALUE...
//	go-client ALGORITHM weak                         offers public keys that no client should be answered for
//
// ALGORITHM is one of the specification. Ends with 3 where nothing is found.
package main

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"strings"

	"github.com/godbus/dbus"
)

const (
	name        = "org.freedesktop.secrets"
	root        = dbus.ObjectPath("/org/freedesktop/secrets")
	defaultPath = dbus.ObjectPath("/org/freedesktop/secrets/aliases/default")
	prefix      = "org.freedesktop.Secret."
	agreement   = "dh-ietf1024-sha256-aes128-cbc-pkcs7"
)

// The Second Oakley Group (RFC 2409, 6.2), whose generator is 2.
const prime = "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD" +
	"EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7EDEE386BFB5A89" +
	"9FA5AE9F24117C4B1FE649286651ECE65381FFFFFFFFFFFFFFFF"

type secret struct {
	Session     dbus.ObjectPath
	Parameters  []byte
	Value       []byte
	ContentType string
}

type client struct {
	bus     *dbus.Conn
	session dbus.ObjectPath
	// Nil in a plain session.
	key []byte
}

func (c *client) call(path dbus.ObjectPath, method string, arguments ...interface{}) *dbus.Call {
	return c.bus.Object(name, path).Call(prefix+method, 0, arguments...)
}

// Sessions ("Transfer of Secrets" in the specification).

func (c *client) open(algorithm string) error {
	var output dbus.Variant
	if algorithm == "plain" {
		return c.call(root, "Service.OpenSession", "plain", dbus.MakeVariant("")).Store(&output, &c.session)
	}
	modulus, _ := new(big.Int).SetString(prime, 16)
	private, err := rand.Int(rand.Reader, modulus)
	if err != nil {
		return err
	}
	public := new(big.Int).Exp(big.NewInt(2), private, modulus)
	err = c.call(root, "Service.OpenSession", agreement, dbus.MakeVariant(public.Bytes())).Store(&output, &c.session)
	if err != nil {
		return err
	}
	peer, isBytes := output.Value().([]byte)
	if !isBytes {
		return errors.New("the service's public key is no array of bytes")
	}
	shared := new(big.Int).Exp(new(big.Int).SetBytes(peer), private, modulus)
	// As long as the modulus, with zeros before it.
	c.key = derive(shared.FillBytes(make([]byte, 128)))
	return nil
}

// HKDF (RFC 5869) by SHA-256, without salt and info: 16 bytes, which the first block has.
func derive(shared []byte) []byte {
	extract := hmac.New(sha256.New, make([]byte, sha256.Size))
	extract.Write(shared)
	expand := hmac.New(sha256.New, extract.Sum(nil))
	expand.Write([]byte{1})
	return expand.Sum(nil)[:16]
}

func (c *client) seal(value []byte) (secret, error) {
	if c.key == nil {
		return secret{c.session, []byte{}, value, "text/plain"}, nil
	}
	count := aes.BlockSize - len(value)%aes.BlockSize
	padded := append(append([]byte{}, value...), bytes.Repeat([]byte{byte(count)}, count)...)
	vector := make([]byte, aes.BlockSize)
	if _, err := rand.Read(vector); err != nil {
		return secret{}, err
	}
	block, err := aes.NewCipher(c.key)
	if err != nil {
		return secret{}, err
	}
	cipher.NewCBCEncrypter(block, vector).CryptBlocks(padded, padded)
	return secret{c.session, vector, padded, "text/plain"}, nil
}

func (c *client) unseal(sealed secret) ([]byte, error) {
	if c.key == nil {
		return sealed.Value, nil
	}
	if len(sealed.Parameters) != aes.BlockSize || len(sealed.Value) == 0 || len(sealed.Value)%aes.BlockSize != 0 {
		return nil, errors.New("the secret is not of the session's form")
	}
	block, err := aes.NewCipher(c.key)
	if err != nil {
		return nil, err
	}
	value := append([]byte{}, sealed.Value...)
	cipher.NewCBCDecrypter(block, sealed.Parameters).CryptBlocks(value, value)
	count := int(value[len(value)-1])
	if count == 0 || count > aes.BlockSize {
		return nil, errors.New("the secret's padding is wrong")
	}
	for _, one := range value[len(value)-count:] {
		if int(one) != count {
			return nil, errors.New("the secret's padding is wrong")
		}
	}
	return value[:len(value)-count], nil
}

// Prompts: their path is "/" where nobody has to be asked. Nobody is there to be asked by this client.
func unprompted(prompt dbus.ObjectPath) error {
	if prompt != "/" {
		return fmt.Errorf("there is a prompt: %s", prompt)
	}
	return nil
}

func (c *client) store(label string, attributes map[string]string) error {
	value, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	sealed, err := c.seal(value)
	if err != nil {
		return err
	}
	properties := map[string]dbus.Variant{
		prefix + "Item.Label":      dbus.MakeVariant(label),
		prefix + "Item.Attributes": dbus.MakeVariant(attributes),
	}
	var item, prompt dbus.ObjectPath
	err = c.call(defaultPath, "Collection.CreateItem", properties, sealed, true).Store(&item, &prompt)
	if err != nil {
		return err
	}
	return unprompted(prompt)
}

var errNotFound = errors.New("nothing is found")

func (c *client) find(attributes map[string]string) (dbus.ObjectPath, error) {
	var unlocked, locked []dbus.ObjectPath
	if err := c.call(root, "Service.SearchItems", attributes).Store(&unlocked, &locked); err != nil {
		return "", err
	}
	if len(locked) > 0 {
		return "", errors.New("something is locked")
	}
	if len(unlocked) == 0 {
		return "", errNotFound
	}
	return unlocked[0], nil
}

func (c *client) read(attributes map[string]string) error {
	item, err := c.find(attributes)
	if err != nil {
		return err
	}
	// Both ways to a secret have to lead to the same.
	var one secret
	if err := c.call(item, "Item.GetSecret", c.session).Store(&one); err != nil {
		return err
	}
	var many map[dbus.ObjectPath]secret
	if err := c.call(root, "Service.GetSecrets", []dbus.ObjectPath{item}, c.session).Store(&many); err != nil {
		return err
	}
	first, err := c.unseal(one)
	if err != nil {
		return err
	}
	second, err := c.unseal(many[item])
	if err != nil {
		return err
	}
	if !bytes.Equal(first, second) || one.ContentType != many[item].ContentType {
		return errors.New("GetSecret and GetSecrets differ")
	}
	if c.key != nil && bytes.Equal(one.Parameters, many[item].Parameters) {
		return errors.New("two secrets have the same vector")
	}
	_, err = os.Stdout.Write(first)
	return err
}

func (c *client) delete(attributes map[string]string) error {
	item, err := c.find(attributes)
	if err != nil {
		return err
	}
	var prompt dbus.ObjectPath
	if err := c.call(item, "Item.Delete").Store(&prompt); err != nil {
		return err
	}
	return unprompted(prompt)
}

// Public keys with which the shared secret would be no secret: 0, 1, p-1 and p, and what is too long.
func (c *client) weak() error {
	modulus, _ := new(big.Int).SetString(prime, 16)
	less := new(big.Int).Sub(modulus, big.NewInt(1))
	for _, key := range [][]byte{{}, {0}, {1}, less.Bytes(), modulus.Bytes(), make([]byte, 4096)} {
		var output dbus.Variant
		var session dbus.ObjectPath
		err := c.call(root, "Service.OpenSession", agreement, dbus.MakeVariant(key)).Store(&output, &session)
		if err == nil {
			return fmt.Errorf("a key of %d bytes was taken", len(key))
		}
	}
	return nil
}

func run(words []string) error {
	if len(words) < 2 {
		return errors.New("usage: go-client ALGORITHM store|read|delete|weak ...")
	}
	bus, err := dbus.SessionBus()
	if err != nil {
		return err
	}
	c := client{bus: bus}
	if err := c.open(words[0]); err != nil {
		return err
	}
	defer c.call(c.session, "Session.Close")
	label, rest := "", words[2:]
	if words[1] == "store" && len(rest) > 0 {
		label, rest = rest[0], rest[1:]
	}
	attributes := map[string]string{}
	for _, word := range rest {
		parts := strings.SplitN(word, "=", 2)
		if len(parts) != 2 {
			return fmt.Errorf("%s is no NAME=VALUE", word)
		}
		attributes[parts[0]] = parts[1]
	}
	switch words[1] {
	case "store":
		return c.store(label, attributes)
	case "read":
		return c.read(attributes)
	case "delete":
		return c.delete(attributes)
	case "weak":
		return c.weak()
	}
	return fmt.Errorf("%s is unknown", words[1])
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "go-client:", err)
		if errors.Is(err, errNotFound) {
			os.Exit(3)
		}
		os.Exit(1)
	}
}
