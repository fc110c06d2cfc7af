package main

import (
	"context"
	"fmt"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

func webhookCommand(a *app) *cobra.Command {
	c := family("webhook", "Have other programs told of what happens",
		"  blaise webhook create https://example.org/blaise --events question.opened,session.ended")
	c.AddCommand(webhookCreateCommand(a), webhookListCommand(a), webhookDeliveriesCommand(a),
		webhookRedeliverCommand(a), webhookEnableCommand(a), webhookDeleteCommand(a))
	return c
}

func webhookCreateCommand(a *app) *cobra.Command {
	var n api.NewWebhook
	c := a.jsonFlag(&cobra.Command{
		Use: "create URL", Short: "Have an address told of events, and print its secret, this once",
		Long: "Has an address told of events, by POST requests that are signed as the Standard\n" +
			"Webhooks specification says; docs/webhooks.md has what is sent. The secret that they are\n" +
			"verified with goes to stdout and is shown this once.\n\nEvents: " + newsWords("\n  ") + ".",
		Example: "  blaise webhook create https://example.org/blaise --events question.opened,session.ended",
		Args:    exactArgs("the address"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			n.URL = args[0]
			w, err := c.NewWebhook(ctx, n)
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(a.out, w)
			}
			fmt.Fprintf(a.err, "webhook %s; keep the secret, it is not shown again\n", w.ID)
			_, err = fmt.Fprintln(a.out, w.Secret)
			return err
		}),
	})
	c.Flags().StringSliceVar(&n.Events, "events", nil, "of these `EVENTS` alone, separated by commas (default: of all)")
	return c
}

// newsWords names all events.
func newsWords(sep string) string {
	var names []string
	for _, k := range blaise.NewsKinds() {
		names = append(names, string(k))
	}
	return sep + strings.Join(names, ","+sep)
}

func webhookListCommand(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use: "list", Short: "List the webhooks, and whether they are well", Example: "  blaise webhook list", Args: noArgs,
		RunE: a.asks(func(ctx context.Context, c *api.Client, _ []string) error {
			all, err := c.Webhooks(ctx)
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(a.out, all)
			}
			t := table{head: []string{"ID", "ADDRESS", "EVENTS", "STATE"}}
			for _, w := range all {
				events := fmt.Sprintf("%d of %d", len(w.Events), len(blaise.NewsKinds()))
				if len(w.Events) <= 2 {
					events = strings.Trim(fmt.Sprint(w.Events), "[]")
				}
				t.add(string(w.ID), oneLine(w.URL, 60), events, a.webhookState(w))
			}
			t.print(a.out, a.look())
			return nil
		}),
	})
}

func (a *app) webhookState(w api.Webhook) string {
	switch {
	case !w.DisabledAt.IsZero():
		return "disabled " + ago(w.DisabledAt, a.now()) + ": " + oneLine(w.DisabledWhy, 200)
	case !w.FailingSince.IsZero():
		return "failing for " + rough(a.now().Sub(w.FailingSince))
	}
	return "enabled"
}

func webhookDeliveriesCommand(a *app) *cobra.Command {
	var limit int
	var before string
	c := a.jsonFlag(&cobra.Command{
		Use: "deliveries WEBHOOK", Short: "List what a webhook was told, and how that went",
		Long:    "Lists what a webhook was told in the last 30 days, the latest first.",
		Example: "  blaise webhook deliveries wh_k3v9xyz2", Args: exactArgs("a webhook"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			l, err := c.Deliveries(ctx, blaise.WebhookID(args[0]), blaise.DeliveryID(before), limit)
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(a.out, l)
			}
			t := table{head: []string{"ID", "EVENT", "SESSION", "STATE", "TRIES", "LAST"}}
			for _, d := range l.Deliveries {
				t.add(string(d.ID), string(d.Event), string(d.Session), d.State, fmt.Sprint(len(d.Attempts)), a.lastAttempt(d))
			}
			t.print(a.out, a.look())
			if l.Next != "" {
				fmt.Fprintf(a.err, "older ones: blaise webhook deliveries %s --before %s\n", args[0], l.Next)
			}
			return nil
		}),
	})
	c.Flags().IntVar(&limit, "limit", 50, "at most so many")
	c.Flags().StringVar(&before, "before", "", "those before this `DELIVERY`")
	return c
}

// lastAttempt says how the last attempt went, and when the next is made.
func (a *app) lastAttempt(d api.Delivery) string {
	if len(d.Attempts) == 0 {
		return "-"
	}
	last := d.Attempts[len(d.Attempts)-1]
	how := "under way"
	switch {
	case last.Error != "":
		how = oneLine(last.Error, 120)
	case last.Status != 0:
		how = fmt.Sprintf("%d in %.2fs", last.Status, last.Took)
	}
	text := fmt.Sprintf("%s, %s", ago(last.At, a.now()), how)
	if !d.NextAt.IsZero() {
		text += "; again in " + rough(d.NextAt.Sub(a.now()))
	}
	return text
}

func webhookRedeliverCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "redeliver DELIVERY", Short: "Send a delivery again, under the same id",
		Example: "  blaise webhook redeliver msg_019ac5b1-7d3e-7c4f-9a51-1f0c2b3d4e5f", Args: exactArgs("a delivery"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			if err := c.Redeliver(ctx, blaise.DeliveryID(args[0])); err != nil {
				return err
			}
			_, err := fmt.Fprintf(a.out, "%s: it is sent again now\n", args[0])
			return err
		}),
	}
}

func webhookEnableCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "enable WEBHOOK", Short: "Have a disabled webhook told again",
		Long: "Has a webhook that was disabled told again, of what happens from now on. What it has\n" +
			"missed is not sent; what it was told and did not take can be sent again with redeliver.",
		Example: "  blaise webhook enable wh_k3v9xyz2", Args: exactArgs("a webhook"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			if err := c.EnableWebhook(ctx, blaise.WebhookID(args[0])); err != nil {
				return err
			}
			_, err := fmt.Fprintf(a.out, "%s is told again\n", args[0])
			return err
		}),
	}
}

func webhookDeleteCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "delete WEBHOOK", Short: "Forget a webhook and all that it was told",
		Example: "  blaise webhook delete wh_k3v9xyz2", Args: exactArgs("a webhook"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			if err := c.DeleteWebhook(ctx, blaise.WebhookID(args[0])); err != nil {
				return err
			}
			_, err := fmt.Fprintf(a.out, "%s is deleted\n", args[0])
			return err
		}),
	}
}

func completeWebhook(ctx context.Context, c *api.Client, _ []string) []string {
	all, err := c.Webhooks(ctx)
	if err != nil {
		return nil
	}
	var ids []string
	for _, w := range all {
		ids = append(ids, string(w.ID)+"\t"+oneLine(w.URL, 60))
	}
	return ids
}
