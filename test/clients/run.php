<?php

/** Runs script.json with the PHP client: run.php SCRIPT URL ADMIN_TOKEN RECEIVER */

declare(strict_types=1);

use Wamux\Client;
use Wamux\WamuxException;
use Wamux\Webhook;

require __DIR__ . '/../../plugins/docs/clients/php/tests/autoload.php';

const LIMIT_SECONDS = 30;

final class Runner
{
    /** @var array<string, mixed> */
    private array $values;
    /** @var array<string, Client> */
    private array $clients;

    public function __construct(private string $url, string $adminToken, private string $receiver)
    {
        $this->values = ['receiver' => "$receiver/hook"];
        $this->clients = ['admin' => $this->open(adminToken: $adminToken), 'stranger' => $this->open(token: 'nobody')];
    }

    /** @param list<array<string, mixed>> $steps */
    public function run(array $steps): void
    {
        foreach ($steps as $raw) {
            $step = [...$this->fill($raw), 'save' => $raw['save'] ?? []];
            $end = microtime(true) + LIMIT_SECONDS;
            $found = $this->problem($step);
            while ($found !== null && isset($step['until']) && microtime(true) < $end) {
                usleep(100_000);
                $found = $this->problem($step);
            }
            if ($found !== null) {
                fwrite(STDERR, "{$step['name']}: $found\n");
                exit(1);
            }
            echo $step['name'], "\n";
        }
    }

    private function problem(array $step): ?string
    {
        $refusal = $step['fails'] ?? null;
        try {
            $result = $this->result($step);
        } catch (WamuxException $error) {
            if ($refusal === null) {
                return $error::class . " {$error->status} {$error->errorCode}: {$error->getMessage()}";
            }
            $shown = ['status' => $error->status, 'code' => $error->errorCode, 'message' => $error->getMessage()];

            return $this->problems($shown, $refusal);
        }
        if ($refusal !== null) {
            return 'no refusal: ' . json_encode($result);
        }
        $found = $this->problems($result, $step['expect'] ?? []);
        if ($found === null) {
            foreach ($step['save'] as $name => $path) {
                $this->values[$name] = $this->at($result, $path);
            }
        }

        return $found;
    }

    private function result(array $step): mixed
    {
        $given = $step['with'] ?? [];
        if (isset($step['delivery'])) {
            $delivery = json_decode((string) file_get_contents("{$this->receiver}/next"), true);

            return (new Webhook($step['delivery']))->verify($delivery['body'], $delivery['headers']);
        }
        $client = $this->clients[$step['as'] ?? 'session'] ??= $this->open(token: $this->values['token']);
        if (isset($step['events'])) {
            return $this->take($client->events(...$step['events']), $step['take']);
        }
        if (isset($step['iterate'])) {
            $method = 'iterate' . substr($step['iterate'], strlen('get'));

            return $this->take($client->$method(...$given), null);
        }
        $key = isset($step['key']) ? ['idempotencyKey' => $step['key']] : [];
        if (isset($step['operation'])) {
            return $client->{$step['operation']}(...$given, ...$key);
        }
        [$method, $path] = $step['call'];
        $place = $method === 'get' ? ['query' => $given] : ['body' => $given];

        return $client->call($method, $path, ...$place, params: $step['params'] ?? []);
    }

    private function open(?string $token = null, ?string $adminToken = null): Client
    {
        $factory = new GuzzleHttp\Psr7\HttpFactory();
        $http = new GuzzleHttp\Client(['timeout' => 100]);

        return new Client($this->url, $http, $factory, token: $token, adminToken: $adminToken);
    }

    private function take(\Generator $items, ?int $most): array
    {
        $found = [];
        foreach ($items as $item) {
            $found[] = $item;
            if (count($found) === $most) {
                break;
            }
        }

        return ['items' => $found];
    }

    private function fill(mixed $value): mixed
    {
        if (is_array($value)) {
            return array_map($this->fill(...), $value);
        }

        return is_string($value) && str_starts_with($value, '$') ? $this->values[substr($value, 1)] : $value;
    }

    private function at(mixed $value, string $path): mixed
    {
        foreach (explode('.', $path) as $part) {
            $value = $value[$part] ?? throw new OutOfBoundsException($path);
        }

        return $value;
    }

    private function problems(mixed $result, array $wanted): ?string
    {
        foreach ($wanted as $path => $expected) {
            try {
                $found = $this->problemOf($this->at($result, $path), $expected);
            } catch (OutOfBoundsException) {
                $found = 'missing in ' . json_encode($result);
            }
            if ($found !== null) {
                return "$path: $found";
            }
        }

        return null;
    }

    private function problemOf(mixed $value, mixed $wanted): ?string
    {
        $shown = substr((string) json_encode($value, JSON_UNESCAPED_UNICODE), 0, 1000);
        $isRight = match (true) {
            !is_array($wanted) => $value === $wanted,
            isset($wanted['matches']) => preg_match("~{$wanted['matches']}~u", (string) $value) === 1,
            isset($wanted['atLeast']) => count($value) >= $wanted['atLeast'],
            default => count($value) === $wanted['length'],
        };

        return $isRight ? null : "$shown instead of " . json_encode($wanted, JSON_UNESCAPED_UNICODE);
    }
}

[, $script, $url, $adminToken, $receiver] = $argv;
(new Runner($url, $adminToken, $receiver))->run(json_decode((string) file_get_contents($script), true)['steps']);
