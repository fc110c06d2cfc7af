package server

import (
	"context"
	"net/http"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"
)

// webhookRoutes are an administrator's: an address may hold a key of its own.
func (s *Server) webhookRoutes() {
	handle(s, route{
		id: "list-webhooks", method: http.MethodGet, path: "/api/webhooks", user: control.RoleAdmin,
		says: "The addresses that are told of what happens",
	}, func(ctx context.Context, _ *struct{}) ([]api.Webhook, error) { return s.views.Webhooks(ctx) })
	handle(s, route{
		id: "create-webhook", method: http.MethodPost, path: "/api/webhooks", user: control.RoleAdmin,
		says: "Have an address told of events; its secret is shown this once", status: http.StatusCreated,
	}, s.createWebhook)
	act(s, route{
		id: "delete-webhook", method: http.MethodDelete, path: "/api/webhooks/{id}", user: control.RoleAdmin,
		says: "Forget a webhook and all that it was told",
	}, func(ctx context.Context, in *WebhookPath) error {
		return s.control.DeleteWebhook(ctx, callerOf(ctx).user.Name, blaise.WebhookID(in.ID))
	})
	act(s, route{
		id: "enable-webhook", method: http.MethodPost, path: "/api/webhooks/{id}/enable", user: control.RoleAdmin,
		says: "Have a disabled webhook told again",
	}, func(ctx context.Context, in *WebhookPath) error {
		return s.control.EnableWebhook(ctx, callerOf(ctx).user.Name, blaise.WebhookID(in.ID))
	})
	handle(s, route{
		id: "list-deliveries", method: http.MethodGet, path: "/api/webhooks/{id}/deliveries", user: control.RoleAdmin,
		says: "What a webhook was told, and how that went; the latest first",
	}, s.listDeliveries)
	act(s, route{
		id: "redeliver", method: http.MethodPost, path: "/api/deliveries/{id}/redeliver", user: control.RoleAdmin,
		says: "Send a delivery again, under the same id",
	}, func(ctx context.Context, in *WebhookPath) error {
		return s.control.Redeliver(ctx, callerOf(ctx).user.Name, blaise.DeliveryID(in.ID))
	})
}

// A WebhookPath is the part of a route that names a webhook or a delivery.
type WebhookPath struct {
	ID string `path:"id"`
}

func (s *Server) createWebhook(ctx context.Context, in *struct{ Body api.NewWebhook }) (api.Webhook, error) {
	w, secret, err := s.control.CreateWebhook(ctx, callerOf(ctx).user.Name, control.NewWebhook{
		URL: in.Body.URL, Events: in.Body.Events,
	})
	if err != nil {
		return api.Webhook{}, err
	}
	out := webhookOf(w)
	out.Secret = secret.Shown()
	return out, nil
}

func (s *Server) listDeliveries(ctx context.Context, in *struct {
	WebhookPath
	Before string `query:"before" doc:"next of the page before"`
	Limit  int    `query:"limit" doc:"at most so many, 50 if it is not given"`
}) (api.Deliveries, error) {
	if in.Limit <= 0 || in.Limit > 500 {
		in.Limit = 50
	}
	return s.views.Deliveries(ctx, blaise.WebhookID(in.ID), blaise.DeliveryID(in.Before), in.Limit)
}

// Webhooks lists the webhooks, oldest first, without their secrets.
func (v *Views) Webhooks(ctx context.Context) ([]api.Webhook, error) {
	list, err := v.control.Webhooks(ctx)
	out := []api.Webhook{}
	for _, w := range list {
		out = append(out, webhookOf(w))
	}
	return out, err
}

func webhookOf(w store.Webhook) api.Webhook {
	return api.Webhook{
		ID: w.ID, URL: w.URL, Events: w.Events, By: w.By, CreatedAt: w.CreatedAt,
		FailingSince: w.FailingSince, DisabledAt: w.DisabledAt, DisabledWhy: w.DisabledWhy,
	}
}

// Deliveries lists what a webhook was told, the latest first. CodeNotFound.
func (v *Views) Deliveries(
	ctx context.Context, id blaise.WebhookID, before blaise.DeliveryID, limit int,
) (api.Deliveries, error) {
	list, err := v.control.Deliveries(ctx, id, before, limit)
	out := api.Deliveries{Deliveries: []api.Delivery{}}
	for _, d := range list {
		out.Deliveries = append(out.Deliveries, deliveryOf(d))
	}
	if len(list) == limit {
		out.Next = list[len(list)-1].ID
	}
	return out, err
}

func deliveryOf(d store.Delivery) api.Delivery {
	out := api.Delivery{
		ID: d.ID, Webhook: d.Webhook, Event: d.Kind, Session: d.Session, CreatedAt: d.CreatedAt, NextAt: d.DueAt,
		Attempts: []api.Attempt{}, Body: d.Body, State: "failed",
	}
	switch {
	case !d.DueAt.IsZero():
		out.State = "waiting"
	case !d.DeliveredAt.IsZero():
		out.State = "delivered"
	}
	for _, a := range d.Attempts {
		out.Attempts = append(out.Attempts, api.Attempt{
			At: a.At, Took: a.Took.Seconds(), Status: a.Status, Error: a.Error,
		})
	}
	return out
}
