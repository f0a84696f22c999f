// Package bucket keeps files in a folder of an S3-compatible store. A store shows an object only
// once its upload is complete.
package bucket

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/agepath/agepath/internal/disk"
)

const (
	scheme = "s3://"
	// digestKey is the metadata with an object's SHA-256, to skip equal files and check downloads.
	digestKey = "Agepath-Sha256"
	// identityWait bounds requests for a machine's credentials.
	identityWait = 5 * time.Second

	keys      = "AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY, or a file that AWS_SHARED_CREDENTIALS_FILE names, has to hold those of the store"
	endpoints = "AWS_ENDPOINT_URL_S3, or AWS_ENDPOINT_URL without it,"
)

// remedies are of errors by a part of their code or text.
var remedies = []struct{ sign, remedy string }{
	{"nosuchbucket", "create it before"}, {"accessdenied", keys}, {"access key", keys}, {"signature", keys},
	{"timetooskewed", "set this machine's clock"}, {"the region", "AWS_REGION has to be that of the store"},
	{"https server", endpoints + " has to begin with https"}, {"https client", endpoints + " has to begin with http:"},
	{"unknown authority", "SSL_CERT_FILE has to name a file with the certificate of its authority"},
	{"dial tcp", "start the store, or correct " + strings.TrimSuffix(endpoints, ",")},
}

// Folder is a folder of a bucket.
type Folder struct {
	client *minio.Client
	bucket string
	prefix string // ends with a slash, or is ""
	// partSize is the size of parts; 0 lets the store's limits decide, 16 MiB at least.
	partSize uint64
}

// IsURL reports whether a text is of the form s3://BUCKET/FOLDER.
func IsURL(text string) bool { return strings.HasPrefix(text, scheme) }

// Open does not contact the store. env looks up AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL (default:
// Amazon's) and AWS_REGION or AWS_DEFAULT_REGION. Credentials are those of AWS's variables in the
// environment of the process, of its files, or of the machine.
func Open(text string, env func(string) (string, bool)) (*Folder, error) {
	bucket, prefix, _ := strings.Cut(strings.TrimPrefix(text, scheme), "/")
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		prefix += "/"
	}
	if !IsURL(text) || bucket == "" || strings.ContainsAny(text, "?#@") || strings.Contains(prefix, "//") {
		return nil, fmt.Errorf("%q is not allowed; s3://BUCKET/FOLDER is", text)
	}
	first := func(names ...string) string {
		for _, name := range names {
			if value, _ := env(name); value != "" {
				return value
			}
		}
		return ""
	}
	endpoint := &url.URL{Scheme: "https", Host: "s3.amazonaws.com"}
	if given := first("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"); given != "" {
		var err error
		endpoint, err = url.Parse(given)
		if err != nil || endpoint.Scheme != "http" && endpoint.Scheme != "https" || endpoint.Host == "" || strings.Trim(endpoint.Path, "/") != "" {
			return nil, errors.New(endpoints + " is no address of a server; allowed is https://HOST:PORT, or http")
		}
	}
	client, err := minio.New(endpoint.Host, &minio.Options{
		Secure: endpoint.Scheme == "https",
		Region: first("AWS_REGION", "AWS_DEFAULT_REGION"),
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{},
			&credentials.IAM{Client: &http.Client{Timeout: identityWait}},
		}),
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	return &Folder{client: client, bucket: bucket, prefix: prefix}, nil
}

func (f *Folder) String() string {
	return scheme + f.bucket + "/" + strings.TrimSuffix(f.prefix, "/")
}

// Check lists an object, as the answer to a request for the bucket alone does not say why it is
// refused. It reports whether asking again cannot help.
func (f *Folder) Check(ctx context.Context) (refused bool, err error) {
	if value, err := f.client.GetCreds(); err != nil || value.SignerType.IsAnonymous() {
		return true, fmt.Errorf("%s: no credentials; %s", f, keys)
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	err = (<-f.client.ListObjects(ctx, f.bucket, minio.ListObjectsOptions{Prefix: f.prefix, MaxKeys: 1})).Err
	answer := minio.ToErrorResponse(err)
	text := strings.ToLower(fmt.Sprint(answer.Code, err))
	for _, known := range remedies {
		if strings.Contains(text, known.sign) {
			err = fmt.Errorf("%s; %s", strings.TrimSuffix(err.Error(), "."), known.remedy)
			break
		}
	}
	return answer.StatusCode/100 == 4, f.about("listing", "", err)
}

func (f *Folder) about(what, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s%s: %s: %w", scheme, strings.TrimSuffix(f.bucket+"/"+f.prefix+name, "/"), what, err)
}

// List returns the names of all objects.
func (f *Folder) List(ctx context.Context) (names []string, err error) {
	for object := range f.client.ListObjects(ctx, f.bucket, minio.ListObjectsOptions{Prefix: f.prefix, Recursive: true}) {
		if object.Err != nil {
			return nil, f.about("listing", "", object.Err)
		}
		if name := strings.TrimPrefix(object.Key, f.prefix); name != "" && !strings.HasSuffix(name, "/") {
			names = append(names, name)
		}
	}
	return names, nil
}

// DamagedError says that an object's digest differs from the one sent.
type DamagedError struct{ error }

// Get downloads an object to a file. The error is a [*DamagedError] if the digest differs from the
// one sent.
func (f *Folder) Get(ctx context.Context, name, path string) error {
	info, err := f.client.StatObject(ctx, f.bucket, f.prefix+name, minio.StatObjectOptions{})
	if err == nil {
		err = f.client.FGetObject(ctx, f.bucket, f.prefix+name, path, minio.GetObjectOptions{})
	}
	digest := ""
	if err == nil {
		digest, err = disk.Digest(path)
	}
	if want := info.UserMetadata[digestKey]; err == nil && want != "" && want != digest {
		err = &DamagedError{fmt.Errorf("its digest is %s, and it was sent with %s: it is damaged, or was replaced meanwhile", digest, want)}
	}
	return f.about("getting it", name, err)
}

// Put sends files of dir in the order of names, each after the one before is complete, except those
// that are there, and returns the number sent. It removes what
// interrupted uploads of larger files left.
func (f *Folder) Put(ctx context.Context, dir string, names []string) (sent int, err error) {
	for _, name := range names {
		did, err := f.put(ctx, filepath.Join(dir, filepath.FromSlash(name)), name)
		if err != nil {
			return sent, f.about("sending it", name, err)
		}
		if did {
			sent++
		}
	}
	return sent, nil
}

func (f *Folder) put(ctx context.Context, path, name string) (sent bool, err error) {
	digest, err := disk.Digest(path)
	if err != nil {
		return false, err
	}
	key := f.prefix + name
	info, err := f.client.StatObject(ctx, f.bucket, key, minio.StatObjectOptions{})
	switch {
	case err == nil && info.UserMetadata[digestKey] == digest:
		return false, nil
	case err != nil && minio.ToErrorResponse(err).StatusCode != http.StatusNotFound:
		return false, err
	}
	if err := f.client.RemoveIncompleteUpload(ctx, f.bucket, key); err != nil {
		return false, fmt.Errorf("removing what an interrupted upload left: %w", err)
	}
	_, err = f.client.FPutObject(ctx, f.bucket, key, path, minio.PutObjectOptions{
		UserMetadata: map[string]string{digestKey: digest}, PartSize: f.partSize,
	})
	return err == nil, err
}

// Remove removes only objects that [Folder.Put] sent.
func (f *Folder) Remove(ctx context.Context, name string) error {
	info, err := f.client.StatObject(ctx, f.bucket, f.prefix+name, minio.StatObjectOptions{})
	if err == nil && info.UserMetadata[digestKey] != "" {
		err = f.client.RemoveObject(ctx, f.bucket, f.prefix+name, minio.RemoveObjectOptions{})
	}
	return f.about("removing it", name, err)
}
