// Reads one stream of the gateway with OpenAI's SDK for Go, and prints its text and how many comments came before the text
// was complete. The provider answers only after this program has seen a comment.
//
// openai_go BASE_URL KEY MODEL chat|responses TEXT RELEASE_URL
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

var comment = []byte(": waiting")

// watchedBody tells the provider to continue when the first comment has been read.
type watchedBody struct {
	io.ReadCloser
	releaseURL string
	seen       []byte
}

func (body *watchedBody) Read(into []byte) (int, error) {
	count, err := body.ReadCloser.Read(into)
	before := bytes.Count(body.seen, comment)
	body.seen = append(body.seen, into[:count]...)
	if before == 0 && bytes.Contains(body.seen, comment) {
		answer, releaseErr := http.Get(body.releaseURL)
		if releaseErr != nil {
			return count, releaseErr
		}
		answer.Body.Close()
	}
	return count, err
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "failed:", err)
	os.Exit(1)
}

func readChat(client openai.Client, model, text string) (said string, err error) {
	stream := client.Chat.Completions.NewStreaming(context.Background(), openai.ChatCompletionNewParams{
		Model:    model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)},
	})
	for stream.Next() {
		for _, choice := range stream.Current().Choices {
			said += choice.Delta.Content
		}
	}
	return said, stream.Err()
}

func readResponse(client openai.Client, model, text string) (said string, err error) {
	stream := client.Responses.NewStreaming(context.Background(), responses.ResponseNewParams{
		Model: model,
		Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(text)},
	})
	for stream.Next() {
		if event := stream.Current(); event.Type == "response.output_text.delta" {
			said += event.Delta
		}
	}
	return said, stream.Err()
}

func main() {
	if len(os.Args) != 7 {
		fail(fmt.Errorf("6 arguments are needed, not %d", len(os.Args)-1))
	}
	var body *watchedBody
	watch := func(request *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		response, err := next(request)
		if err == nil {
			body = &watchedBody{ReadCloser: response.Body, releaseURL: os.Args[6]}
			response.Body = body
		}
		return response, err
	}
	client := openai.NewClient(option.WithBaseURL(os.Args[1]), option.WithAPIKey(os.Args[2]), option.WithMaxRetries(0),
		option.WithMiddleware(watch))
	read := readChat
	if os.Args[4] == "responses" {
		read = readResponse
	}
	said, err := read(client, os.Args[3], os.Args[5])
	if err != nil {
		fail(err)
	}
	fmt.Printf("%s\ncomments: %d\n", said, bytes.Count(body.seen, comment))
}
