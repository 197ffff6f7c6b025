// Puts go-jose behind lines of JSON: a request on each line of standard input, its answer on a line of standard output.
//
// Built against Debian's golang-gopkg-square-go-jose.v2-dev, without modules and without a network:
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go build -o go-jose Tests/Interop/GoJose/main.go
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	jose "gopkg.in/square/go-jose.v2"
)

type request struct {
	Operation   string            `json:"operation"`
	Algorithm   string            `json:"alg"`
	Content     string            `json:"enc"`
	Key         json.RawMessage   `json:"key"`
	Keys        []json.RawMessage `json:"keys"`
	Algorithms  []string          `json:"algs"`
	Payload     []byte            `json:"payload"`
	AAD         []byte            `json:"aad"`
	Token       string            `json:"token"`
	ContentType string            `json:"cty"`
	Form        string            `json:"form"`
	Unencoded   bool              `json:"unencoded"`
	Iterations  int               `json:"p2c"`
}

type answer struct {
	Token   string `json:"token,omitempty"`
	Payload []byte `json:"payload"`
	Error   string `json:"error,omitempty"`
}

func parsed(text json.RawMessage) (jose.JSONWebKey, error) {
	var key jose.JSONWebKey
	err := json.Unmarshal(text, &key)
	return key, err
}

// The half of a key that checks and encrypts. A symmetric key is its own.
func public(key jose.JSONWebKey) interface{} {
	if secret, ok := key.Key.([]byte); ok {
		return secret
	}
	return key.Public().Key
}

func sign(r request) (answer, error) {
	key, err := parsed(r.Key)
	if err != nil {
		return answer{}, err
	}
	options := &jose.SignerOptions{}
	if r.Unencoded {
		options = options.WithBase64(false)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.SignatureAlgorithm(r.Algorithm), Key: key.Key}, options)
	if err != nil {
		return answer{}, err
	}
	signed, err := signer.Sign(r.Payload)
	if err != nil {
		return answer{}, err
	}
	var token string
	switch r.Form {
	case "compact":
		token, err = signed.CompactSerialize()
	case "detached":
		token, err = signed.DetachedCompactSerialize()
	case "flattened":
		token = signed.FullSerialize()
	default:
		err = errors.New("no such form")
	}
	return answer{Token: token}, err
}

// Compares the algorithm too: the library takes whatever the key can do.
func checked(signatures []jose.Signature, algorithm string) error {
	for _, signature := range signatures {
		if signature.Header.Algorithm != algorithm {
			return fmt.Errorf("signed with %s", signature.Header.Algorithm)
		}
	}
	return nil
}

func verify(r request) (answer, error) {
	key, err := parsed(r.Key)
	if err != nil {
		return answer{}, err
	}
	if r.Form == "detached" {
		token, err := jose.ParseDetached(r.Token, r.Payload)
		if err != nil {
			return answer{}, err
		}
		if err := checked(token.Signatures, r.Algorithm); err != nil {
			return answer{}, err
		}
		return answer{Payload: r.Payload}, token.DetachedVerify(r.Payload, public(key))
	}
	token, err := jose.ParseSigned(r.Token)
	if err != nil {
		return answer{}, err
	}
	if err := checked(token.Signatures, r.Algorithm); err != nil {
		return answer{}, err
	}
	payload, err := token.Verify(public(key))
	return answer{Payload: payload}, err
}

func recipient(algorithm string, key jose.JSONWebKey, iterations int) jose.Recipient {
	return jose.Recipient{
		Algorithm: jose.KeyAlgorithm(algorithm), Key: public(key), KeyID: key.KeyID, PBES2Count: iterations,
	}
}

func encrypt(r request) (answer, error) {
	options := &jose.EncrypterOptions{}
	if r.ContentType != "" {
		options = options.WithContentType(jose.ContentType(r.ContentType))
	}
	content := jose.ContentEncryption(r.Content)
	var encrypter jose.Encrypter
	if len(r.Keys) > 0 {
		var recipients []jose.Recipient
		for index, text := range r.Keys {
			key, err := parsed(text)
			if err != nil {
				return answer{}, err
			}
			recipients = append(recipients, recipient(r.Algorithms[index], key, r.Iterations))
		}
		var err error
		if encrypter, err = jose.NewMultiEncrypter(content, recipients, options); err != nil {
			return answer{}, err
		}
	} else {
		key, err := parsed(r.Key)
		if err != nil {
			return answer{}, err
		}
		if encrypter, err = jose.NewEncrypter(content, recipient(r.Algorithm, key, r.Iterations), options); err != nil {
			return answer{}, err
		}
	}
	sealed, err := encrypter.EncryptWithAuthData(r.Payload, r.AAD)
	if err != nil {
		return answer{}, err
	}
	if r.Form == "compact" {
		token, err := sealed.CompactSerialize()
		return answer{Token: token}, err
	}
	return answer{Token: sealed.FullSerialize()}, nil
}

func decrypt(r request) (answer, error) {
	key, err := parsed(r.Key)
	if err != nil {
		return answer{}, err
	}
	token, err := jose.ParseEncrypted(r.Token)
	if err != nil {
		return answer{}, err
	}
	_, header, payload, err := token.DecryptMulti(key.Key)
	if err != nil {
		return answer{}, err
	}
	if header.Algorithm != r.Algorithm {
		return answer{}, fmt.Errorf("encrypted with %s", header.Algorithm)
	}
	if contentType, _ := header.ExtraHeaders["cty"].(string); contentType != r.ContentType {
		return answer{}, fmt.Errorf("content of type %s", contentType)
	}
	return answer{Payload: payload}, nil
}

func main() {
	operations := map[string]func(request) (answer, error){
		"sign": sign, "verify": verify, "encrypt": encrypt, "decrypt": decrypt,
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var r request
		a, err := answer{}, json.Unmarshal(lines.Bytes(), &r)
		if operation, known := operations[r.Operation]; err == nil && known {
			a, err = operation(r)
		} else if err == nil {
			err = errors.New("no such operation")
		}
		if err != nil {
			a = answer{Error: err.Error()}
		}
		if err := answers.Encode(a); err != nil {
			os.Exit(1)
		}
	}
}
