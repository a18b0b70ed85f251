<?php

declare(strict_types=1);

namespace Wamux;

use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;

/**
 * A client of a gateway, over your PSR-18 client, whose time-out should be 100 seconds: a send waits for WhatsApp.
 *
 *     $wamux = new Client('http://localhost:8080', $http, $factory, token: $token);
 *     $wamux->sendText(Phone: '5511999999999', Body: 'Hello')['Id'];
 *
 * @phpstan-import-type Event from Types
 */
final class Client extends Api
{
    /** Longest wait of one request for events, in seconds. */
    private const WAIT = 25;

    /**
     * @param string $url Address of the gateway, for example `http://localhost:8080`.
     * @param RequestFactoryInterface&StreamFactoryInterface $factory For example Guzzle's HttpFactory, or Nyholm's Psr17Factory.
     * @param string|null $token A session's token.
     * @param string|null $bearer For `Authorization: Bearer`.
     * @param array<string, string> $headers Of every request.
     * @param int $retries Number of retries after a failure that may pass.
     */
    public function __construct(
        string $url,
        ClientInterface $http,
        RequestFactoryInterface&StreamFactoryInterface $factory,
        #[\SensitiveParameter] ?string $token = null,
        #[\SensitiveParameter] ?string $adminToken = null,
        #[\SensitiveParameter] ?string $bearer = null,
        array $headers = [],
        int $retries = 3,
    ) {
        $credentials = [
            'token' => $token,
            'admintoken' => $adminToken,
            'authorization' => $bearer === null ? null : "Bearer $bearer",
        ];
        $given = array_filter($credentials, static fn (?string $value): bool => $value !== null);
        parent::__construct(rtrim($url, '/'), $http, $factory, [...$given, ...$headers], $retries);
    }

    /**
     * Events as they are logged, by long polling; it goes on until the loop is left. It misses none: after a failure that may pass
     * it goes on after the last event.
     *
     * @param int|null $after Seq of the last handled event; 0 for all stored events, null for only new ones.
     * @param list<string> $classes Event classes; all when empty.
     * @return \Generator<int, Event> by seq
     * @throws WamuxException if the gateway refuses, for example with EVENTS_DROPPED
     */
    public function events(?int $after = null, array $classes = []): \Generator
    {
        $after ??= $this->newest();
        for ($tried = 0; ; ) {
            try {
                $page = $this->getEvents(
                    after: $after,
                    class: $classes === [] ? null : implode(',', $classes),
                    wait: self::WAIT,
                    retry: false,
                );
            } catch (WamuxException $error) {
                if (!$error->isPassing()) {
                    throw $error;
                }
                $this->pause($tried++, $error);
                continue;
            }
            $tried = 0;
            foreach ($page['Events'] as $event) {
                yield $event['seq'] ?? 0 => $event;
            }
            $after = $page['Next'];
        }
    }

    /** Seq of the newest event. */
    private function newest(): int
    {
        ['Events' => $events, 'Before' => $before] = $this->getEventsHistory(limit: 1);

        return $events[0]['seq'] ?? $before;
    }
}
