<?php

declare(strict_types=1);

namespace Wamux;

use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\StreamFactoryInterface;

/** Makes calls, with retries. */
abstract class Caller
{
    /** Routes that take an Idempotency-Key. */
    protected const SENDS = [];

    /** Longest first pause before another attempt, in seconds; doubled each time. */
    private const FIRST_SECONDS = 0.5;
    private const MAX_SECONDS = 30.0;

    /** @param array<string, string> $defaults Headers of every request. */
    protected function __construct(
        private readonly string $url,
        private readonly ClientInterface $http,
        private readonly RequestFactoryInterface&StreamFactoryInterface $factory,
        private readonly array $defaults,
        private readonly int $retries,
    ) {
    }

    /**
     * Calls any route, for example of your own plugin. Returns the data of the envelope, or a string if the answer is not JSON.
     *
     * @param array<string, mixed> $params Values for `{…}` in the path.
     * @param array<string, mixed> $query
     * @param array<string, mixed>|null $body
     * @param array<string, string> $headers
     * @param bool|null $retry Whether it is repeated after a failure; by default for GET, PUT and sends.
     * @param string|null $idempotencyKey Key of a send, in place of one that the client creates.
     * @throws WamuxException
     */
    public function call(
        string $method,
        string $path,
        array $params = [],
        array $query = [],
        ?array $body = null,
        array $headers = [],
        ?bool $retry = null,
        ?string $idempotencyKey = null,
    ): mixed {
        $method = strtolower($method);
        $given = $body === null ? null : array_filter($body, static fn (mixed $value): bool => $value !== null);
        $isSend = $method === 'post' && isset(static::SENDS[$path]);
        $hasId = array_intersect(['id', 'messageid'], array_map('strtolower', array_keys($given ?? []))) !== [];
        $key = $idempotencyKey ?? ($isSend && !$hasId ? bin2hex(random_bytes(16)) : null);
        $keyed = [...($key === null ? [] : ['idempotency-key' => $key]), ...$headers];
        $request = $this->requestOf($method, self::placeOf($path, $params) . self::queryOf($query), $keyed, $given);
        $isRepeatable = $retry ?? ($isSend || $method === 'get' || $method === 'put');
        for ($tried = 0; ; $tried++) {
            try {
                return self::answerOf($this->send($request));
            } catch (WamuxException $error) {
                if (!$isRepeatable || $tried >= $this->retries || !$error->isPassing()) {
                    throw $error;
                }
                $this->pause($tried, $error);
            }
        }
    }

    /**
     * Items of all pages.
     *
     * @param array{string, string, string} $paging The query field, the field of the answer with its next value, and the field
     *   with the list.
     * @param array<string, mixed> $params
     * @param array<string, mixed> $query
     * @param array<string, string> $headers
     * @return \Generator<int, mixed>
     */
    protected function iterate(
        string $method,
        string $path,
        array $paging,
        array $params = [],
        array $query = [],
        array $headers = [],
        ?bool $retry = null,
    ): \Generator {
        [$cursor, $next, $items] = $paging;
        for ($at = 0; ; ) {
            $page = $this->call($method, $path, $params, $query, headers: $headers, retry: $retry);
            foreach ($page[$items] as $item) {
                yield $at++ => $item;
            }
            // 0 or an empty text ends the pages, and so does the same value again.
            if (in_array($page[$next], [0, '', '0'], true) || (string) $page[$next] === (string) ($query[$cursor] ?? '')) {
                return;
            }
            $query[$cursor] = $page[$next];
        }
    }

    /** Doubled each time, half of it random, never shorter than the gateway's `Retry-After`. */
    protected function pause(int $tried, WamuxException $error): void
    {
        $most = min(self::MAX_SECONDS, self::FIRST_SECONDS * 2 ** $tried);
        $random = random_int(0, 1_000_000) / 1_000_000;
        usleep((int) (1_000_000 * max($error->retryAfter ?? 0.0, $most / 2 + $random * $most / 2)));
    }

    /**
     * @param array<string, string> $headers
     * @param array<string, mixed>|null $body
     */
    private function requestOf(string $method, string $path, array $headers, ?array $body): RequestInterface
    {
        $request = $this->factory->createRequest(strtoupper($method), "{$this->url}$path");
        foreach ([...$this->defaults, ...$headers] as $name => $value) {
            $request = $request->withHeader($name, $value);
        }
        if ($body === null) {
            return $request;
        }
        // An empty array would become a list.
        $text = json_encode((object) $body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);

        return $request
            ->withHeader('content-type', 'application/json')
            ->withBody($this->factory->createStream($text));
    }

    private function send(RequestInterface $request): ResponseInterface
    {
        // A client may have read the body of an earlier attempt.
        if ($request->getBody()->isSeekable()) {
            $request->getBody()->rewind();
        }
        try {
            return $this->http->sendRequest($request);
        } catch (ClientExceptionInterface $cause) {
            $text = "{$request->getMethod()} {$request->getUri()->getPath()}: the gateway was not reached";
            throw new Exception\ConnectionFailed($text, 'NETWORK', previous: $cause);
        }
    }

    private static function answerOf(ResponseInterface $response): mixed
    {
        try {
            $text = (string) $response->getBody();
        } catch (\RuntimeException $cause) {
            throw new Exception\ConnectionFailed('The answer was cut off', 'NETWORK', previous: $cause);
        }
        $status = $response->getStatusCode();
        if ($status < 200 || $status > 299) {
            throw self::refusalOf($response, $text);
        }
        if (!str_starts_with($response->getHeaderLine('content-type'), 'application/json')) {
            return $text;
        }
        $body = json_decode($text, true);
        if (!is_array($body)) {
            throw new Exception\ConnectionFailed('The answer was cut off', 'NETWORK');
        }

        return isset($body['success']) && array_key_exists('data', $body) ? $body['data'] : $body;
    }

    private static function refusalOf(ResponseInterface $response, string $text): WamuxException
    {
        $status = $response->getStatusCode();
        $body = json_decode($text, true);
        $fields = array_filter(is_array($body) ? $body : [], 'is_string');
        $after = $response->getHeaderLine('retry-after');
        $class = WamuxException::classOf($status);

        return new $class(
            $fields['error'] ?? "$status {$response->getReasonPhrase()}",
            $fields['errorCode'] ?? 'UNREADABLE',
            $status,
            $fields['details'] ?? null,
            is_numeric($after) && $after >= 0 ? (float) $after : null,
            $response->getHeaderLine('x-request-id') ?: null,
        );
    }

    /** @param array<string, mixed> $params */
    private static function placeOf(string $path, array $params): string
    {
        $fill = static fn (array $match): string => rawurlencode((string) ($params[$match[1]]
            ?? throw new \InvalidArgumentException("$path: {$match[1]} is missing")));

        return (string) preg_replace_callback('/\{(\w+)\}/', $fill, $path);
    }

    /**
     * A list is a text separated by commas.
     *
     * @param array<string, mixed> $query
     */
    private static function queryOf(array $query): string
    {
        $texts = array_map(static fn (mixed $value): string => match (true) {
            is_bool($value) => $value ? 'true' : 'false',
            is_array($value) => implode(',', $value),
            default => (string) $value,
        }, array_filter($query, static fn (mixed $value): bool => $value !== null));

        return $texts === [] ? '' : '?' . http_build_query($texts);
    }
}
